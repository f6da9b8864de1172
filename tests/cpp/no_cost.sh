#!/bin/sh
# The C++ header costs nothing over the calls of C: the compiled form of a call of it calls the function of C, and else only
# what is said here. Functions that the compiler kept apart are followed, but not those that a failure needs.
# usage: no_cost.sh CXX_COMPILER INCLUDE_DIR      (status 77: no such compiler, or not x86-64 with ELF)
set -eu
source=$(dirname "$0")/no_cost.cpp
command -v "$1" >/dev/null || { echo "no $1"; exit 77; }
assembly=$("$1" -std=c++17 -O2 -fno-asynchronous-unwind-tables -fno-stack-protector -I "$2" -S "$source" -o -)
case $(uname -m):$assembly in
x86_64:*'call'*'bp_find_pairs@PLT'*) ;;
*) echo 'no_cost.sh: the assembly is not that of x86-64 with ELF'; exit 77 ;;
esac

# calls FUNCTION: what it calls in the end, one name in a line
calls() {
    echo "$assembly" | awk -v start="$1" '
        /^[_a-zA-Z][^ \t]*:/ { inside = $1; sub(/:.*/, "", inside); is_here[inside] = 1; next }
        $1 ~ /^(call|callq|jmp)$/ && $2 ~ /^[_a-zA-Z]/ { target = $2; sub(/@.*/, "", target); out[inside] = out[inside] " " target }
        $1 ~ /^(call|callq)$/ && $2 ~ /^\*/ { out[inside] = out[inside] " (pointer)" }
        function follow(name,    n, i, word) {
            if (name in seen) return
            seen[name] = 1
            if (!(name in is_here)) { print name; return }
            n = split(out[name], word, " ")
            # only failures call these: fail, and what releases memory while an exception passes
            for (i = 1; i <= n; ++i) if (word[i] !~ /4fail|9fail_with|clang_call_terminate|\.cold/) follow(word[i])
        }
        END { if (!(start in is_here)) exit 1; follow(start) }' | sort
}

# An exception that passes, and vectors that are too long.
passing='_Unwind_Resume|__cxa_begin_catch|__cxa_rethrow|__cxa_end_catch|_ZSt9terminatev|_ZSt20__throw_length_errorPKc|_ZdlPv|_ZdlPvm'

failed=0
# expect FUNCTION NAME MAY: it calls NAME, and else at most what the extended regular expression MAY says
expect() {
    called=$(calls "$1")
    others=$(echo "$called" | grep -vxE "$2|$3|$passing" | tr '\n' ' ')
    if ! echo "$called" | grep -qx "$2" || [ -n "$others" ]; then
        echo "no_cost.sh: $1 must call $2, and calls:" $called >&2
        failed=1
    fi
}

# A list that was grown by another allocator is released first. operator new, memset and memmove: a vector that grows.
expect call_pairs bp_find_pairs 'bp_pairs_free|_Znwm|memcpy|memmove'
expect call_find_pairs bp_find_pairs bp_pairs_free
expect call_find_pairs_between bp_find_pairs_between bp_pairs_free
expect call_neighbors bp_find_neighbors bp_neighbors_free
expect call_add bp_add -
expect call_move bp_move_many -
expect call_update bp_update -
expect call_query_box bp_query_box '_Znwm|memset|memmove|memcpy'
exit $failed
