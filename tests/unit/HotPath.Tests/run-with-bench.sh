#!/usr/bin/env bash
# Runs a short benchmark of each kind, to see that they run and that every message arrives. Ends with "N passed, N failed".
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
build=()
if [ -e "$here/bench/Apps/bin/Release/net8.0/Ambrosia.Bench.Apps.dll" ]; then build=(--no-build); fi
passed=0 failed=0
check() {
  local lines
  if lines=$("$here/bench/run" "$1" --quick --no-grpc ${build[@]+"${build[@]}"} --only "$2") && [ -n "$lines" ] && ! grep -qv '"value":[0-9]*[1-9]' <<<"$lines"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "bench/run $1 --quick --only '$2' did not end well"
  fi
  build=(--no-build)
  echo "$lines"
}

check throughput 'fork 16 B, logged|awaited call 16 B, 1000 outstanding, no log'
check ping 'no log'
check bidirectional '1 KiB'
check recovery '16 B'
check failover nothing
check shared-memory 'fork 64 KiB, logged'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
