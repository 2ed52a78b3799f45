#!/usr/bin/env bash
# Makes the images that deploy/k8s names, by the SDK alone: no Dockerfile, no shell in the image, user 10001. Needs the SDK; for the native coordinator what publish-aot.sh needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: deploy/publish-images.sh [--registry HOST[:PORT] | --archive FOLDER] [--tag TAG] [--base IMAGE] [--jit]

  (no option)        ambrosia/coordinator and ambrosia/hello-world, into the Docker or Podman of this machine.
  --registry HOST    Into this registry instead; log in with "docker login" first.
  --archive FOLDER   As archives into this folder instead, for "docker load" and its like. No Docker is needed.
  --tag TAG          Their version. Default: 0.1.0, as deploy/k8s/hello/kustomization.yaml says.
  --base IMAGE       Put them on this image instead of Microsoft's chiseled one for what is published.
  --jit              The coordinator by the runtime of its base image, instead of as a native executable.
TEXT
}

tag=0.1.0 jit=false archive="" options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --registry | --archive | --tag | --base) [ -n "${2:-}" ] || { echo "$1 needs a value; --help shows all." >&2; exit 64; } ;;&
    --registry) options+=("-p:ContainerRegistry=$2"); shift ;;
    --archive) archive=$(mkdir -p "$2" && cd "$2" && pwd); shift ;;
    --tag) tag=$2; shift ;;
    --base) options+=("-p:ContainerBaseImage=$2"); shift ;;
    --jit) jit=true ;;
    -h | --help) usage; exit 0 ;;
    *) echo "There is no option $1; --help shows all." >&2; exit 64 ;;
  esac
  shift
done

publish() { # PROJECT NAME [MORE OPTIONS]
  local project=$1 name=$2
  shift 2
  # Not into the build's own folder, because what lies there is copied beside apps; nor over an earlier image's files. Native symbols and documentation stay here.
  rm -rf "artifacts/images/$name"
  # For .NET 10, apart from the ordinary build, for the reasons that publish-aot.sh gives.
  dotnet publish "$project" -c Release -p:ExecutableFramework=net10.0 --artifacts-path artifacts/aot "-p:NuGetLockFilePath=$PWD/artifacts/aot/packages.lock.json" -t:PublishContainer -nodereuse:false --nologo -v quiet "-p:PublishDir=$PWD/artifacts/images/$name/" "-p:ContainerImageTag=$tag" \
    -p:CopyOutputSymbolsToPublishDirectory=false -p:PublishDocumentationFiles=false -p:PublishReferencesDocumentationFiles=false "${options[@]}" ${archive:+"-p:ContainerArchiveOutputPath=$archive/$name.tar.gz"} "$@"
}

if $jit; then
  publish src/ImmortalCoordinator coordinator
else
  runtime=linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
  publish src/ImmortalCoordinator coordinator -r "$runtime" -p:PublishAot=true -p:StripSymbols=true -p:RollForward=Disable
fi

# The app alone: its coordinator is the other image.
publish samples/HelloWorld hello-world -p:AmbrosiaEmbedCoordinator=false
