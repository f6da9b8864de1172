#!/bin/sh
# Installs the wheel into a virtual environment outside the source tree and runs a part of the tests there.
# usage: run.sh package|types|debug_allocator|sanitized|gpu WHEELS PYTHON SOURCE-TREE LIBRARIES [CUDA-ON-HOST]
# NumPy, SciPy and pytest are the system's. Ends with 77 where one of them is missing.
set -eu

suite=$1 wheels=$2 python=$3 tree=$4 libraries=$5 on_host=${6:-}
tests=$tree/bindings/python/tests

"$python" -c 'import numpy, pytest, venv, ensurepip' 2>/dev/null || {
    echo "no Python tests: NumPy, pytest or venv is missing (scripts/setup python)"
    exit 77
}
ls "$wheels"/*.whl >/dev/null 2>&1 || {
    echo "no Python tests: there is no wheel in $wheels (make python)"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv --system-site-packages "$folder/environment"
"$folder/environment/bin/pip" install --quiet --no-deps --no-index --disable-pip-version-check "$wheels"/*.whl
cp -r "$tests" "$folder/tests"
mv "$folder/tests/on_gpu" "$folder/on_gpu"
cd "$folder"
inside=$folder/environment/bin/python
export BROADPHASE_SOURCE="$tree" BROADPHASE_LIBRARIES="$libraries" PYTHONDONTWRITEBYTECODE=1
[ -z "$on_host" ] || export BROADPHASE_CUDA_ON_HOST="$on_host"

case $suite in
gpu)
    # What needs a GPU; all else about arrays there runs in `package`, with kernels on the host.
    said=$("$inside" -m pytest -q -p no:cacheprovider -rs on_gpu/test_on_gpu.py) && status=0 || status=$?
    echo "$said"
    if [ "$status" -eq 0 ] && ! echo "$said" | grep -q passed; then
        echo "no GPU tests: no PyTorch, CuPy or JAX that sees a GPU"
        exit 77
    fi
    exit "$status"
    ;;
package)
    "$inside" -m pytest -q -p no:cacheprovider -rs tests
    ;;
debug_allocator)
    # Python's allocator with guards around each block; what the library allocates has glibc's.
    PYTHONMALLOC=debug MALLOC_PERTURB_=165 MALLOC_CHECK_=3 \
        "$inside" -X dev -m pytest -q -p no:cacheprovider -W ignore::DeprecationWarning -rs tests -k 'not long'
    ;;
sanitized)
    # A wheel of sanitize.sh: the interpreter must load the sanitizers first. It frees little when it ends: no leaks.
    LD_PRELOAD="$(cc -print-file-name=libasan.so) $(cc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
        "$inside" -m pytest -q -p no:cacheprovider -rs tests --ignore=tests/test_gpu_arrays.py -k 'not long'
    ;;
types)
    "$python" -c 'import mypy, mypy.stubtest' 2>/dev/null || {
        echo "no check of types: mypy is missing (scripts/setup python)"
        exit 77
    }
    package=$("$inside" -c 'import broadphase, os; print(os.path.dirname(broadphase.__file__))')
    printf '[mypy]\nstrict = True\n[mypy-scipy.*,ase.*,jax.*]\nignore_missing_imports = True\n' >mypy.ini
    "$inside" -m mypy "$package/__init__.py" "$package/atoms.py" "$package/gpu.py" "$package/points.py" "$package/settings.py"
    "$inside" -m mypy tests/typed.py tests/mistakes.py # apart: these see the stubs
    "$inside" -m mypy.stubtest broadphase._core --concise --ignore-missing-stub --allowlist tests/stubtest_allowed.txt
    ;;
esac
