#!/usr/bin/env bash
# Builds the harnesses with planted bugs, into folders of their own, and requires that every bug is noticed. Names of bugs may follow.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export MSBUILDDISABLENODEREUSE=1 DOTNET_CLI_USE_MSBUILD_SERVER=0 DOTNET_NOLOGO=1
folder=bin/Release/net8.0
dotnet build PlantedBugs.csproj -c Release -nodereuse:false -v quiet --nologo
begin=$SECONDS
dotnet build Harnesses/Harnesses.proj -c Release -nodereuse:false -v quiet --nologo -p:PlantedBugs=true "-p:PlantedBugsTool=$PWD/$folder/PlantedBugs.dll"
echo "Built with planted bugs in $((SECONDS - begin)) s"
exec dotnet "$folder/PlantedBugs.dll" hunt "$(cd ../.. && pwd)" "$@"
