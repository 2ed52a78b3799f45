#!/usr/bin/env bash
# Makes the packages that users install, into one folder. See --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
Usage: ./pack.sh [FOLDER] [--built] [--native [--runtimes LIST]] [--version VERSION] [--configuration NAME]

  FOLDER             Where the packages go. Default: artifacts/packages. Packages of the same version are replaced.
  --built            From what "dotnet build" has made, instead of building it anew for release.
  --native           Also the coordinator as a native executable for this machine's processor; needs what deploy/publish-aot.sh needs.
  --runtimes LIST    That for these, of linux-x64 and linux-arm64, with a comma between them. The other processor's needs a cross compiler: apt-get install gcc-aarch64-linux-gnu.
  --version VERSION  In place of the version in Directory.Build.props.
  --configuration C  Release, or Debug to try something out. Default: Release.

Packages: Ambrosia, Ambrosia.Client, Ambrosia.Coordinator, Ambrosia.Testing, Ambrosia.Cli, Ambrosia.Templates; symbols lie beside them.
The same commit gives the same bytes: times in them are the commit's. To try them:

  dotnet new install artifacts/packages/Ambrosia.Templates.*.nupkg
  dotnet new nugetconfig && dotnet nuget add source "$PWD/artifacts/packages" --name ambrosia
TEXT
}

out=artifacts/packages built=false native=false configuration=Release runtimes=linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/') options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --built) built=true ;;
    --native) native=true ;;
    --runtimes) [ -n "${2:-}" ] || { echo "--runtimes needs a value; --help shows all." >&2; exit 64; }; native=true runtimes=$2; shift ;;
    --version) [ -n "${2:-}" ] || { echo "--version needs a value; --help shows all." >&2; exit 64; }; options+=("-p:Version=$2"); shift ;;
    --configuration) [ -n "${2:-}" ] || { echo "--configuration needs a value; --help shows all." >&2; exit 64; }; configuration=$2; shift ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "There is no option $1; --help shows all." >&2; exit 64 ;;
    *) out=$1 ;;
  esac
  shift
done
out=$(mkdir -p "$out" && cd "$out" && pwd)

export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 MSBUILDDISABLENODEREUSE=1
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1764547200)}
export SOURCE_DATE_EPOCH

if $native; then
  for runtime in ${runtimes//,/ }; do
    case "$runtime" in linux-x64 | linux-arm64) ;; *) echo "There is no native coordinator for $runtime; --help shows all." >&2; exit 64 ;; esac
  done
  rm -rf artifacts/native
  for runtime in ${runtimes//,/ }; do deploy/publish-aot.sh "artifacts/native/$runtime" "$runtime"; done
  options+=("-p:NativeCoordinators=$PWD/artifacts/native/")
fi

if $built; then
  options+=(--no-build)
else
  # Apart from the ordinary build: for release, sources are named by their place in the repository.
  # The analyzers' help links lead to the pages where the repository is published, not to this folder.
  origin=$(git remote get-url origin 2>/dev/null | sed -E 's#^(ssh://)?git@([^:/]+)[:/](.+)$#https://\2/\3#' || true)
  case "$origin" in https://*) options+=("-p:AmbrosiaDocs=${origin%.git}/blob/main/docs/") ;; esac
  options+=(-p:ContinuousIntegrationBuild=true --artifacts-path artifacts/pack)
fi
echo "Making packages: some minutes."
dotnet pack packaging/packages.slnf -c "$configuration" -nodereuse:false -warnaserror --nologo -v quiet -o "$out" "${options[@]}"
echo "Packages in $out:"
ls "$out" | grep -F .nupkg
