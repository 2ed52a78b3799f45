#!/usr/bin/env bash
# run.sh for ./test.sh: with the Release build that is there already.
exec env CONFIGURATION=Release sh "$(dirname "${BASH_SOURCE[0]}")/run.sh" "$@"
