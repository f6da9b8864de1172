# What tests of the tool from outside share: source it with the tool as $1. Goes to an empty folder, and counts.
set -u

case $1 in
/*) tool=$1 ;;
*) tool=$PWD/$1 ;;
esac
[ -x "$tool" ] || {
    echo "$tool: no such program"
    exit 1
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
checks=0

fail() {
    echo "FAILED: $*"
    sed 's/^/    stderr: /' err | head -5
    failures=$((failures + 1))
}

# can_check REASON: false, and says why, where the tool is another machine's and runs under an emulator.
can_check() {
    [ -z "${BP_EMULATOR:-}" ] || {
        echo "not checked under an emulator: $1"
        return 1
    }
}

# run STATUS WORD...: runs the tool; its output is in the files out and err.
run() {
    expected=$1
    shift
    checks=$((checks + 1))
    "$tool" "$@" >out 2>err
    status=$?
    [ $status -eq "$expected" ] || fail "broadphase $*: exit status $status, expected $expected"
}

# good WORD...: succeeds without a word on standard error.
good() {
    run 0 "$@"
    [ ! -s err ] || fail "broadphase $*: expected nothing on standard error"
}

says() {
    grep -qF -e "$1" err || fail "expected '$1' on standard error"
}

# failed TEXT WORD...: the work fails, and one line says why.
failed() {
    text=$1
    shift
    run 1 "$@"
    [ "$(wc -l <err)" -eq 1 ] || fail "broadphase $*: expected one line on standard error"
    grep -q '^broadphase: ' err || fail "broadphase $*: expected the line to begin with the name"
    says "$text"
}

# wrong TEXT WORD...: the call is wrong: the reason, then the usage, and no data.
wrong() {
    text=$1
    shift
    run 2 "$@"
    head -1 err | grep -q '^broadphase: ' || fail "broadphase $*: expected the reason first"
    says "$text"
    says 'usage: broadphase'
    [ ! -s out ] || fail "broadphase $*: expected nothing on standard output"
}

same() {
    checks=$((checks + 1))
    cmp "$1" "$2" >err 2>&1 || fail "$3: $1 and $2 differ"
}

