#!/usr/bin/env bash
# Guards what the main paths cost, as ratios to a bare relay that takes turns with them, never in seconds. Needs a machine on which nothing else runs. Ends with "N passed, N failed".
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
build=()
if [ -e "$here/bench/Apps/bin/Release/net8.0/Ambrosia.Bench.Apps.dll" ]; then build=(--no-build); fi
passed=0 failed=0

# within SCENARIO CASE FIGURE least|most RATIO: the bounds are half as good as what was measured, in full runs: in a quick one the processes are still compiling.
# Somebody else's minute can spoil one try; a path that has become twice as dear spoils all three.
within() {
  local try ratio
  for try in 1 2 3; do
    ratio=$("$here/bench/run" "$1" --no-grpc ${build[@]+"${build[@]}"} --only "$2" | grep -F "\"name\":\"$3\"" | grep -o '"ratio":[0-9.]*' | head -n 1) || true
    build=(--no-build)
    ratio="${ratio#*:}" ratio="${ratio:-no ratio}" # The first of its line; what follows are comparisons with others.
    echo "$3: $ratio of the bare relay (at $4 $5)"
    if awk -v ratio="$ratio" -v bound="$5" -v side="$4" 'BEGIN { exit !(ratio + 0 > 0 && (side == "least" ? ratio + 0 >= bound + 0 : ratio + 0 <= bound + 0)) }'; then
      passed=$((passed + 1))
      return
    fi
  done
  failed=$((failed + 1))
  echo "FAILED: $3 is at $ratio of the bare relay in the last of three tries, and must be at $4 $5; profile before changing the bound (docs/guide/benchmarks.md)"
}

within throughput 'fork 16 B, logged' 'fork 16 B, logged' least 0.04
within throughput 'fork 64 KiB, logged' 'fork 64 KiB, logged' least 0.25
within ping '16 B, logged' 'ping 16 B, logged, p50' most 2.4
within ping '16 B, no log' 'ping 16 B, no log, p50' most 2.8
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
