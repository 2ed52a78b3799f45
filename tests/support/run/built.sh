#!/usr/bin/env bash
# built.sh PROJECT...: builds in Release what a script of tests needs; each PROJECT is a folder of the repository.
# Within a run of ./test.sh it is there already, and tests beside this script start programs out of the same folders: a build would rewrite their files under them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
for project; do
  if [ -z "${AMBROSIA_TEST_RUN:-}" ]; then
    dotnet build "$project" -c Release -nodereuse:false --nologo -v quiet
  elif ! compgen -G "$project/bin/Release/net*/*.dll" >/dev/null; then
    echo "$project is not built: build in tests/support/run/steps.sh does not have it in this run" >&2
    exit 1
  fi
done
