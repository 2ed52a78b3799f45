#!/usr/bin/env bash
# Builds once in Release with warnings as errors, then runs the tests. See --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
Usage: ./test.sh [--all] [--only AREA] [--soak] [--list]

  (no option)   The tests in tests/unit, every sample, and a short run of the bank under kill -9.
                Needs the .NET SDK (8 or newer) and nothing else; not root.
  --all         Also tests/harnesses, which explores (simulator, crash points, fuzzing, planted bugs), and tests/system: real
                processes, and tests that need other tools (Python, Node.js, npm, Chromium, PostgreSQL: installed with
                apt-get if missing). Restores in locked mode.
  --only AREA   One area: a test project without its ".Tests", or "samples", or "tools". --list shows them.
  --soak        Longer counts in the tests that kill processes (AMBROSIA_SOAK=1). Takes an hour or more.
  --list        Show the areas.

Examples:
  ./test.sh --only LogStore
  ./test.sh --all --only EndToEnd

Results of each project are kept in artifacts/test. The last line says how many tests passed and failed.
TEXT
}

all=false soak=false only="" list=false
while [ $# -gt 0 ]; do
  case "$1" in
    --all) all=true ;;
    --soak) soak=true ;;
    --list) list=true ;;
    --only) only="${2:-}"; shift; [ -n "$only" ] || { echo "--only needs an area; --list shows them." >&2; exit 64; } ;;
    -h|--help) usage; exit 0 ;;
    *) echo "There is no option $1; --help shows all." >&2; exit 64 ;;
  esac
  shift
done

. tests/support/run/steps.sh
refuse_writers

if $list; then areas; exit 0; fi
[ -z "$only" ] || areas | grep -x -- "$only" >/dev/null || { echo "There is no area $only. There are: $(areas | tr '\n' ' ')" >&2; exit 64; }

prepare
build
run_lanes
check_begun
finish
