#!/usr/bin/env bash
# The manifests of deploy/k8s, rendered by kubectl's own Kustomize and validated against Kubernetes' own schemas. Needs kubectl, Node.js and npm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! kubectl kustomize --help >/dev/null 2>&1; then
  echo "FAILED  kubectl is missing, version 1.29 or newer: https://kubernetes.io/docs/tasks/tools"
  echo "0 passed, 1 failed"
  exit 1
fi

cp "$here/package.json" "$here/package-lock.json" "$here"/*.mjs "$work/"
(cd "$work" && npm ci --no-audit --no-fund --ignore-scripts --silent)
for project in "$root/src/ImmortalCoordinator" "$root/samples/HelloWorld"; do
  dotnet build "$project" -c Release -nodereuse:false --nologo -v quiet
done

AMBROSIA_ROOT="$root" node "$work/check.mjs"
