#!/usr/bin/env bash
# Builds the harnesses with planted bugs, into folders of their own, and requires that every bug is noticed. Names of bugs may follow, or "--share 2/3".
# AMBROSIA_PLANTED_SHARES=6 takes one share of six, another one with each commit.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export DOTNET_NOLOGO=1 AMBROSIA_FULL=1 # Tests explore as much as they do in a full run.
begin=$SECONDS
[ -n "${AMBROSIA_TEST_RUN:-}" ] && grep -qxF "$AMBROSIA_TEST_RUN" ../../../artifacts/test/planted-built.txt 2>/dev/null || bash build.sh # This run has built them.
echo "Built with planted bugs in $((SECONDS - begin)) s"
if [ $# -eq 0 ] && [ "${AMBROSIA_PLANTED_SHARES:-1}" -gt 1 ]; then
  commit=$(git rev-parse --short=7 HEAD 2>/dev/null | cut -c1-7 || true) # A clone may be shallow, and not know how many there are.
  set -- --share "$((16#${commit:-$(date +%j)} % AMBROSIA_PLANTED_SHARES + 1))/$AMBROSIA_PLANTED_SHARES"
fi
exec dotnet bin/Release/net8.0/PlantedBugs.dll hunt "$(cd ../../.. && pwd)" "$@"
