#!/usr/bin/env bash
# Builds the harnesses with planted bugs, into folders of their own, and requires that every bug is noticed. Names of bugs may follow.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export DOTNET_NOLOGO=1
begin=$SECONDS
bash build.sh
echo "Built with planted bugs in $((SECONDS - begin)) s"
exec dotnet bin/Release/net8.0/PlantedBugs.dll hunt "$(cd ../../.. && pwd)" "$@"
