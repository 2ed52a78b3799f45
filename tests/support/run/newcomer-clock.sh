#!/usr/bin/env bash
# How long a newcomer waits for the first sign of life of each command that README.md begins with, in a fresh clone. Prints seconds and the first line; judges nothing.
# With --whole the sample runs to its end, and the time of that is printed, too.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
git clone --quiet "$root" "$place/ambrosia"
cd "$place/ambrosia"

clock() {
  local began line first process
  mkfifo "$place/lines"
  began=$(date +%s%N)
  setsid "$@" > "$place/lines" 2>&1 &
  process=$!
  exec 3< "$place/lines"
  IFS= read -r line <&3 || line="(nothing)"
  first=$(( ($(date +%s%N) - began) / 1000000 ))
  printf '%6d ms  %-60s  %s\n' "$first" "$*" "$line"
  if [ "${whole:-}" = "--whole" ]; then
    while IFS= read -r line <&3; do :; done
    printf '%6d ms  %-60s  %s\n' "$(( ($(date +%s%N) - began) / 1000000 ))" "  its last line" "$line"
  else
    kill -TERM -- "-$process" 2> /dev/null || true
  fi
  exec 3<&-
  wait "$process" 2> /dev/null || true
  rm -f "$place/lines"
}

whole="${1:-}"
clock dotnet run --project samples/HelloWorld
clock dotnet run --project samples/Bank -- --chaos 60
whole=""
clock ./test.sh --only Protocol
