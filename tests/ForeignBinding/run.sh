#!/bin/sh
# The foreign binding against its tests and against real coordinators; arguments go to end_to_end.py (try --kills 40).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
configuration=${CONFIGURATION:-Debug}
coordinator=${AMBROSIA_COORDINATOR:-$root/src/ImmortalCoordinator/bin/$configuration/net8.0/Ambrosia.ImmortalCoordinator}
peer=$here/ForeignPeer/bin/$configuration/net8.0/ForeignPeer
[ -x "$coordinator" ] || dotnet build "$root/src/ImmortalCoordinator" -c "$configuration" -nodereuse:false --nologo -v quiet
[ -x "$peer" ] || dotnet build "$here/ForeignPeer" -c "$configuration" -nodereuse:false --nologo -v quiet
export PYTHONDONTWRITEBYTECODE=1
cd "$here"
python3 -m unittest test_binding
exec python3 end_to_end.py --coordinator "$coordinator" --csharp "$peer" "$@"
