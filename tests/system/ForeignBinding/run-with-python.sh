#!/usr/bin/env bash
# The foreign binding against its tests, hostile bytes and real coordinators; arguments go to end_to_end.py (try --kills 40). Needs Python 3.
# AMBROSIA_COORDINATOR is tested instead of the coordinator of the Release build; AMBROSIA_SOAK=1 kills ten times as often.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
bash "$root/tests/support/run/built.sh" src/ImmortalCoordinator tests/system/ForeignBinding/ForeignPeer
coordinator=${AMBROSIA_COORDINATOR:-$root/src/ImmortalCoordinator/bin/Release/net8.0/Ambrosia.ImmortalCoordinator}
peer=$here/ForeignPeer/bin/Release/net8.0/ForeignPeer
if [ -n "${AMBROSIA_SOAK:-}" ]; then set -- --calls 30000 --kills 100 "$@"; fi
export PYTHONDONTWRITEBYTECODE=1
cd "$here"
passed=0 failed=0
step() {
    echo "== $*"
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
for suite in Vectors MessagePack Version2 Legacy; do step python3 -m unittest "test_binding.$suite"; done
step python3 hostile.py --coordinator "$coordinator"
for modes in v2:csharp legacy:csharp legacy:v2 v2:legacy; do
    step python3 end_to_end.py --coordinator "$coordinator" --csharp "$peer" --modes "$modes" "$@"
done
for scenario in js cs stall large replicas upgrade mixed; do
    step python3 original_end_to_end.py --coordinator "$coordinator" --csharp "$peer" --only "$scenario" ${AMBROSIA_SOAK:+--calls 15000 --kills 40}
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
