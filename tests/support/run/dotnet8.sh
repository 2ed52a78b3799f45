#!/usr/bin/env bash
# Puts the .NET 8 runtime together from the packages of the feed: machines no longer have it, since its support has ended, but what is made for it must run on it.
#   tests/support/run/dotnet8.sh FOLDER     FOLDER/dotnet is the host then. Ends with 69 and a sentence where the feed has it not.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
runtime=linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 MSBUILDDISABLENODEREUSE=1

cat >"$work/runtime.csproj" <<TEXT
<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <RuntimeIdentifier>$runtime</RuntimeIdentifier>
    <SelfContained>true</SelfContained>
  </PropertyGroup>
</Project>
TEXT
if ! dotnet restore "$work" >"$work/output.txt" 2>&1; then
  echo ".NET 8's runtime is not to be had from the package feed: $(grep -m 1 -o 'error .*' "$work/output.txt" || tail -n 1 "$work/output.txt")" >&2
  exit 69
fi

pack() { # NAME: its version and folder, a space between
  dotnet msbuild "$work" -t:ResolveFrameworkReferences -getItem:ResolvedRuntimePack |
    sed -n "/\"Identity\": \"$1\"/,/}/ { s/.*\"PackageDirectory\": \"\(.*\)\".*/\1/p; s/.*\"NuGetPackageVersion\": \"\(.*\)\".*/\1/p }" | paste -sd' '
}

for framework in Microsoft.NETCore.App Microsoft.AspNetCore.App; do
  read -r version folder <<<"$(pack "$framework.Runtime.$runtime")"
  shared=$out/shared/$framework/$version
  mkdir -p "$shared"
  cp "$folder/runtimes/$runtime/lib/net8.0"/* "$shared"
  [ ! -d "$folder/runtimes/$runtime/native" ] || cp "$folder/runtimes/$runtime/native"/* "$shared"
done
version=$(ls "$out/shared/Microsoft.NETCore.App")
mkdir -p "$out/host/fxr/$version"
mv "$out/shared/Microsoft.NETCore.App/$version/libhostfxr.so" "$out/host/fxr/$version"
cp "$(dirname "$(readlink -f "$(command -v dotnet)")")/dotnet" "$out"
"$out/dotnet" --list-runtimes | cut -d' ' -f1,2
