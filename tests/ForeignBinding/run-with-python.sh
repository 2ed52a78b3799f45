#!/bin/sh
# What ./test.sh --all runs: everything of this folder against the release build.
CONFIGURATION=Release exec "$(dirname "$0")/run.sh" "$@"
