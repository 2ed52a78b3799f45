#!/usr/bin/env bash
# Builds the harnesses with planted bugs, into folders of their own, beside which any other build may go on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export MSBUILDDISABLENODEREUSE=1 DOTNET_CLI_USE_MSBUILD_SERVER=0 DOTNET_NOLOGO=1
options=(-c Release -nodereuse:false -p:UseSharedCompilation=true -v quiet --nologo -p:RunAnalyzers=false "-p:SharedCompilationId=planted-$$")
dotnet build PlantedBugs.csproj "${options[@]}"
dotnet build Harnesses/Harnesses.proj "${options[@]}" -p:PlantedBugs=true "-p:PlantedBugsTool=$PWD/bin/Release/net8.0/PlantedBugs.dll"
# Each hunt loads its tests in a process of its own.
bash ../../support/run/ready.sh 'Ambrosia\..*|MessagePack.*|xunit.*|.*\.Tests' ../../*/*/bin/planted/Release
