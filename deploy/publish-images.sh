#!/usr/bin/env bash
# Makes the images that deploy/k8s names, by the SDK alone: no Dockerfile, no shell in the image, user 10001. Needs the SDK; for the native coordinator what publish-aot.sh needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: deploy/publish-images.sh [--registry HOST[:PORT] | --archive FOLDER] [--tag TAG] [--base IMAGE] [--platform LIST] [--jit]

  (no option)        ambrosia/coordinator and ambrosia/hello-world, into the Docker or Podman of this machine.
  --registry HOST    Into this registry instead; log in with "docker login" first.
  --archive FOLDER   As archives into this folder instead, for "docker load" and its like. No Docker is needed.
  --tag TAG          Their version. Default: 0.1.0, as deploy/k8s/hello/kustomization.yaml says.
  --base IMAGE       Put them on this image instead of Microsoft's chiseled one for what is published.
  --platform LIST    For these, of linux/amd64 and linux/arm64, instead of for this machine. Two with a comma between them make one name for both: an OCI image index.
                     A native coordinator for the other processor takes a cross compiler: apt-get install gcc-aarch64-linux-gnu (on arm64: gcc-x86-64-linux-gnu).
  --jit              The coordinator by the runtime of its base image, instead of as a native executable.
TEXT
}

tag=0.1.0 jit=false archive="" runtimes="" options=()

# The platforms of images, in .NET's words.
runtimes_of() { # LIST
  local platform names=()
  for platform in ${1//,/ }; do
    case "$platform" in
      linux/amd64) names+=(linux-x64) ;;
      linux/arm64) names+=(linux-arm64) ;;
      *) echo "There is no platform $platform here; linux/amd64 and linux/arm64 are there." >&2; exit 64 ;;
    esac
  done
  printf '%s\n' "${names[@]}" | sort -ru | paste -sd';'
}

while [ $# -gt 0 ]; do
  case "$1" in
    --registry | --archive | --tag | --base | --platform) [ -n "${2:-}" ] || { echo "$1 needs a value; --help shows all." >&2; exit 64; } ;;&
    --registry) options+=("-p:ContainerRegistry=$2"); shift ;;
    --archive) archive=$(mkdir -p "$2" && cd "$2" && pwd); shift ;;
    --tag) tag=$2; shift ;;
    --base) options+=("-p:ContainerBaseImage=$2"); shift ;;
    --platform) runtimes=$(runtimes_of "$2"); shift ;;
    --jit) jit=true ;;
    -h | --help) usage; exit 0 ;;
    *) echo "There is no option $1; --help shows all." >&2; exit 64 ;;
  esac
  shift
done

# For .NET 10, apart from the ordinary build, for the reasons that publish-aot.sh gives. Native symbols and documentation stay here.
# What was compiled for a runtime lies apart: else the next native coordinator would be compiled anew, which takes minutes.
made=artifacts/aot
if $jit; then made=artifacts/jit; fi
options+=(-c Release -p:ExecutableFramework=net10.0 -p:LibraryFrameworks=net10.0 --artifacts-path "$made" "-p:NuGetLockFilePath=$PWD/$made/packages.lock.json"
  "-p:CustomAfterMicrosoftCommonTargets=$PWD/deploy/images.targets" -p:RunAnalyzers=false -nodereuse:false --nologo -v quiet "-p:ContainerImageTag=$tag"
  -p:CopyOutputSymbolsToPublishDirectory=false -p:PublishDocumentationFiles=false -p:PublishReferencesDocumentationFiles=false)

publish() { # RUNTIMES PROJECT NAME [MORE OPTIONS]
  local runtimes=$1 project=$2 name=$3
  shift 3
  # Nothing of an earlier image.
  rm -rf "$made/publish/$(basename "$project")"
  if [ -n "$archive" ]; then set -- "-p:ContainerArchiveOutputPath=$archive/$name.tar.gz" "$@"; fi
  case "$runtimes" in
    # Not by "dotnet publish", which knows one processor only for a native executable: this machine's.
    *\;*) dotnet build "$project" -t:PublishContainer "-p:ContainerRuntimeIdentifiers=\"$runtimes\"" -p:ContainerImageFormat=OCI "${options[@]}" "$@" ;;
    *) dotnet publish "$project" -t:PublishContainer ${runtimes:+"-p:RuntimeIdentifier=$runtimes"} "${options[@]}" "$@" ;;
  esac
}

if $jit; then
  publish "$runtimes" src/ImmortalCoordinator coordinator
else
  machine=linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
  publish "${runtimes:-$machine}" src/ImmortalCoordinator coordinator -p:PublishAot=true -p:StripSymbols=true -p:RollForward=Disable
fi

# The app alone: its coordinator is the other image.
publish "$runtimes" samples/HelloWorld hello-world -p:AmbrosiaEmbedCoordinator=false
