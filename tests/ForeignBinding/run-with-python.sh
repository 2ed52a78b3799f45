#!/usr/bin/env bash
# run.sh for ./test.sh: the Release build, and the counts on the last line. Each test of the binding counts, and each pair of links.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CONFIGURATION=Release sh "$here/run.sh" "$@" 2>&1 | tee "${TMPDIR:-/tmp}/foreign-binding-$$.txt"
code=${PIPESTATUS[0]}
output=$(cat "${TMPDIR:-/tmp}/foreign-binding-$$.txt")
rm -f "${TMPDIR:-/tmp}/foreign-binding-$$.txt"
tests=$(printf '%s\n' "$output" | awk '/^Ran [0-9]+ test/ { sum += $2 } END { print sum + 0 }')
exact=$(printf '%s\n' "$output" | grep -c '^  exact: ')
failed=0
if [ "$code" -ne 0 ]; then failed=1; fi
echo "$((tests + exact)) passed, $failed failed"
exit "$code"
