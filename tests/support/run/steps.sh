# The steps of ./test.sh, which sources this file with $all, $soak and $only set.
# Every step adds to the counts; a step that cannot run is a failure with a sentence, never a silent gap.

passed=0
failed=0
failures=()
results=artifacts/test
started=$SECONDS

# Processes that tests start inherit this mark, so that one that was left behind can be found and named.
export AMBROSIA_TEST_RUN="run-$$-$(date +%s)"
# Where harnesses write what they did, one file for each test project; shown below its counts.
export AMBROSIA_REPORTS="$PWD/$results/reports"
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1
# No build node or compiler server may outlive the run; the compiler server that we do use is ours alone and is ended in finish.
export MSBUILDDISABLENODEREUSE=1 DOTNET_CLI_USE_MSBUILD_SERVER=0
# Properties of every build that this run starts, those of tests and scripts included: a compiler that starts anew for each project takes longer.
export UseSharedCompilation=true "SharedCompilationId=ambrosia-$$"
build_options=(-c Release -nodereuse:false)

say() { printf '%s\n' "$*"; }

# Variables that make a test write files of the repository instead of comparing them. A test that writes what it expects cannot fail.
# tests/unit/Architecture.Tests finds every such variable that a test reads and requires that it is named here.
writers=(AMBROSIA_FUZZ_RECORD AMBROSIA_GOLDEN AMBROSIA_UPDATE_GOLDEN AMBROSIA_WRITE_DOCS)

refuse_writers() {
  local name
  for name in "${writers[@]}"; do
    [ -z "${!name:-}" ] && continue
    echo "$name is set: tests would write the files that they are to compare, and could not fail. Unset it; to write them, run that one test with dotnet test." >&2
    exit 64
  done
}

counted_processor=0

# read_processor VARIABLE: seconds of all processes that this shell has waited for. Not by a pipe or a substitution: that would be another process, with children of its own.
read_processor() {
  local file="$results/times-$BASHPID.txt"
  times >"$file"
  printf -v "$1" %s "$(awk -F'[ms ]+' 'NR == 2 { printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' "$file")"
}

# count NAME PASSED FAILED SECONDS. Processor seconds are those of the processes that this lane has started and waited for since its last count.
count() {
  local processor
  passed=$((passed + $2))
  failed=$((failed + $3))
  read_processor processor
  printf '%-34s %5d passed  %3d failed  %4d s  %4d s of processor\n' "$1" "$2" "$3" "$4" "$((processor - counted_processor))"
  counted_processor=$processor
}

# One line now, and the reason again at the end, where it is not scrolled away.
fail() {
  failures+=("$1: $2")
  count "$1" 0 1 "${3:-0}"
}

# In the everyday run the longest first, so that its lanes end at the same time. In a full run what needs the native coordinator comes last.
test_projects() {
  {
    if ! $all; then printf '%s\n' ImmortalCoordinator Ambrosia InProcess; fi
    ls -d tests/*/*.Tests 2>/dev/null | sed 's|.*/||; s|\.Tests$||' | sort | if $all; then awk '$0 == "EndToEnd" { late = $0; next } { print } END { print late }'; else cat; fi
  } | awk '!seen[$0]++'
}

# Where the project of an area lies: in tests/unit, tests/harnesses or tests/system.
folder_of() { ls -d tests/*/"$1.Tests"; }

areas() { test_projects; echo samples; echo tools; }

wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }

# What explores (tests/harnesses) and what runs real processes, disks, networks and servers (tests/system) belongs to the full run.
is_long() { [[ $(folder_of "$1") != tests/unit/* ]]; }

# A soak without --all runs one thing after the other, each for hours.
lanes_beside() { $all || ! $soak; }

# The lane of a full run in which something runs (see run_lanes); everything that is started alone runs in the main one.
lane_of() {
  if [ -n "$only" ] || ! lanes_beside; then
    echo main
    return
  fi
  case "$1" in
    # Harnesses without processes, sockets or real disks of their own, in which no clock but a virtual one decides.
    CrashPoints | Fuzz | Interleavings | Simulation) echo idle ;;
    # What has no limit of time: it makes the lanes equally long.
    */run-with-sdk.sh | */run-with-node.sh) echo idle ;;
    # They wait for leases, disks, half-open connections, browsers and package registries much of their time.
    LogStore.Azure | LogStore.Postgres | PowerCut | Replicas | SilentHosts | SystemFaults) echo waiting ;;
    */run-with-python.sh) echo waiting ;;
    # They wait as well, and build the same projects in the same folders, as the native coordinator does: one after the other.
    Packages | */run-with-kubectl.sh | */run-with-qemu.sh | */run-with-chromium.sh) echo serial ;;
    # They have limits of time, and bear one other lane beside them.
    Ambrosia) if $all; then echo pair; else echo main; fi ;;
    */PlantedBugs/*) echo hunts ;;
    # They measure, or replay at idle priority, which gets nothing beside others. Single tests that do have a trait: see has_alone.
    TimeTravel-sample | */run-with-ratios.sh) echo alone ;;
    *) echo main ;;
  esac
}

# Whether tests of a project want the machine for themselves, by [Trait("Runs", "alone")]. The lane of that name runs them, and the project's own lane the others.
has_alone() { [ -z "$only" ] && lanes_beside && grep -rqF --include='*.cs' '[Trait("Runs", "alone")]' "$(folder_of "$1")"; }

# Seconds that one test project may take, all retries of its own included.
limit_of() {
  if $soak; then echo 14400; return; fi
  case "$1" in
    EndToEnd) echo 2700 ;;
    Ambrosia | LogStore.Azure | LogStore.Postgres | Packages | PowerCut | Replicas | SilentHosts | SystemFaults) echo 1200 ;;
    Simulation) echo 3600 ;;
    CrashPoints | Fuzz | Interleavings) echo 3600 ;; # They get what the other lanes leave.
    *) echo 600 ;;
  esac
}

# Runs a command under a time limit; its output goes to a file, and to the screen only if it fails.
bounded() {
  local seconds=$1 output=$2
  shift 2
  if command -v timeout >/dev/null 2>&1; then
    timeout --kill-after=10 "$seconds" "$@" >"$output" 2>&1 </dev/null
  else
    "$@" >"$output" 2>&1 </dev/null
  fi
}

prepare() {
  command -v dotnet >/dev/null 2>&1 || { say "The .NET SDK (8 or newer) is needed: https://dot.net"; exit 69; }
  say "SDK $(dotnet --version) on $(uname -sm), $(getconf _NPROCESSORS_ONLN 2>/dev/null || echo '?') processors"
  if $soak; then export AMBROSIA_SOAK=1; fi
  if $soak; then export AMBROSIA_SIM_COUNT="${AMBROSIA_SIM_COUNT:-500000}"; fi
  if $all; then export AMBROSIA_SIM_COUNT="${AMBROSIA_SIM_COUNT:-1000}"; fi
  if $all && ! $soak; then export AMBROSIA_PLANTED_SHARES="${AMBROSIA_PLANTED_SHARES:-12}"; fi
  if $all; then export AMBROSIA_FULL=1; fi
  rm -rf "$results"
  mkdir -p "$results"
  if $all; then install_tools; fi
}

# Test projects and samples bring in everything else; --only builds what it runs.
build() {
  # Profiles take the compiler a third of its time, and it ends before they are of use: 46 projects took it 177 s of processor instead of 279.
  local -x DOTNET_TieredPGO=0
  local begin=$SECONDS targets=() target
  local more=()
  if $all; then more=(-p:RestoreLockedMode=true); fi
  # Analysis takes half of the time. A full run has it, and so has each build that is not this one.
  if ! $all && ! $soak && [ -z "$only" ]; then more=(-p:RunAnalyzers=false); fi
  case "$only" in
    "") if $all || $soak; then targets=(ambrosia.sln); else targets=(everyday.slnf); fi ;;
    samples) targets=(samples/*/*.csproj) ;;
    tools) targets=(src/ImmortalCoordinator src/Ambrosia src/CodeGen.Tool samples/TimeTravel samples/HelloWorld tests/system/MessagePackCorpus tests/system/ForeignBinding/ForeignPeer tests/system/TypeScriptClient tests/system/WebPage) ;;
    *) targets=("$(folder_of "$only")") ;;
  esac
  for target in "${targets[@]}"; do
    if ! dotnet build "$target" "${build_options[@]}" -warnaserror "${more[@]}" >"$results/build.log" 2>&1 </dev/null; then
      grep -E '(error|warning) [A-Z]+[0-9]+' "$results/build.log" | sort -u | head -40 || tail -n 40 "$results/build.log"
      fail "build of $target" "it does not build; $results/build.log has everything" $((SECONDS - begin))
      finish
    fi
  done
  say "Built in $((SECONDS - begin)) s"
  if [ -z "$only" ]; then compile_ahead; fi
}

ahead_coordinator="" ahead_command=""

# The tests and what they start by the hundred: apps, samples, the coordinators beside them, and copies of the coordinator and the command that real processes are given. Not where each allocation of the hot path is counted.
compile_ahead() {
  local programs copies=artifacts/ready folders=(tests/unit/*/bin/Release tests/support/*/bin/Release samples/*/bin/Release)
  mkdir -p "$copies"
  if $all || $soak; then
    folders=(tests/*/*/bin/Release tests/*/*/*/bin/Release samples/*/bin/Release "$copies"/coordinator "$copies"/command)
    rm -rf "$copies"/coordinator "$copies"/command
    cp -r src/ImmortalCoordinator/bin/Release/net8.0 "$copies"/coordinator
    cp -r src/Ambrosia/bin/Release/net8.0 "$copies"/command
    ahead_coordinator="$PWD/$copies/coordinator/Ambrosia.ImmortalCoordinator" ahead_command="$PWD/$copies/command/ambrosia"
  fi
  programs=$(ls samples/*/*.csproj tests/support/*/*.csproj tests/system/*/*.csproj tests/system/*/*/*.csproj | sed 's|.*/||; s|\.csproj$||; s|\.|\\.|g' | grep -v 'Tests$' | paste -sd'|')
  programs+='|xunit.*|testhost|Microsoft\.TestPlatform.*|Microsoft\.VisualStudio\.TestPlatform.*|.*\.Tests'
  bash tests/support/run/ready.sh "Ambrosia\..*|ambrosia|MessagePack.*|$programs" $(ls -d "${folders[@]}" 2>/dev/null | grep -v /HotPath) || say "Not all that tests start is compiled ahead of time: the run takes longer."
}

# The coordinator as it is deployed. The end-to-end tests run with it in a full run, all others with what the build made.
build_native() {
  local begin=$SECONDS
  if bounded 900 "$results/native.txt" sh deploy/publish-aot.sh; then
    echo "$PWD/artifacts/coordinator/Ambrosia.ImmortalCoordinator" >"$results/native-coordinator.txt"
    count "native coordinator" 1 0 $((SECONDS - begin))
  else
    tail -n 20 "$results/native.txt"
    fail "native coordinator" "deploy/publish-aot.sh did not make it; $results/native.txt" $((SECONDS - begin))
    echo "" >"$results/native-coordinator.txt"
  fi
}

# native_coordinator VARIABLE: its path, once another lane of this run has built it; empty if it has failed to, or if this run does not build it.
native_coordinator() {
  local path="" limit=$((SECONDS + 1000))
  if [ -d "$(begun native)" ]; then
    until [ -e "$results/native-coordinator.txt" ] || [ "$SECONDS" -ge "$limit" ]; do sleep 1; done
    path=$(cat "$results/native-coordinator.txt" 2>/dev/null) || true
  fi
  printf -v "$1" %s "$path"
}

# A full run has lanes beside each other: the main one; one for what builds and waits; and, at a lower priority, one that fills the time in which both wait. Then two are beside each other, and what measures comes last, alone.
# A lane that is done goes on with what another one has not begun. A run of the unit tests has two that do the same.
run_lanes() {
  if [ -n "$only" ] || ! lanes_beside; then
    run_lane main
  elif $all; then
    start_lane idle 10
    start_lane serial 0 waiting idle
    run_lane main
    run_lane waiting
    start_lane rest 10 idle
    join_lanes
    start_lane hunts 0
    run_lane pair
    join_lanes
    run_lane alone
  else
    start_lane beside 0 main
    run_lane main
    join_lanes
    run_lane alone
  fi
}

# run_lane NAME: everything that belongs to it, one after the other.
run_lane() {
  # Programs that are started by the hundred and killed soon after have no use for profiles of themselves.
  case "$1" in main | waiting | serial | pair | beside) local -x DOTNET_TieredPGO=0 ;; esac
  if [ "$1" = serial ] && begins native; then build_native; fi
  run_test_projects "$1"
  run_samples "$1"
  run_tools "$1"
  if [ "$1" = idle ] && begins planted-build; then prepare_planted_bugs; fi
}

# begins NAME: whether nobody has begun it in this run; from now on somebody has.
begins() {
  mkdir -p "$results/begun"
  mkdir "$(begun "$1")" 2>/dev/null && return 0
  [ -d "$(begun "$1")" ] || fail "$1" "it could not be begun: $results/begun cannot be written"
  return 1
}

begun() { printf '%s/begun/%s' "$results" "$(printf '%s' "$1" | tr '/' '-')"; }

# What belongs to this run and no lane has run is a failure.
check_begun() {
  local area script
  for area in $(test_projects); do
    belongs "$area" || continue
    [ -d "$(begun "$area")" ] || fail "$area" "no lane has run it"
    if has_alone "$area"; then [ -d "$(begun "$area-alone")" ] || fail "$area-alone" "no lane has run it"; fi
  done
  { $all && wanted tools; } || [ "$only" = tools ] || return 0
  for script in tests/*/*/run-with-*.sh; do
    [ -d "$(begun "$script")" ] || fail "$script" "no lane has run it"
  done
}

lanes=()

# start_lane NAME NICENESS [LANE]: beside everything else; LANE is what it goes on with. What it prints and counts is shown and added when it is joined.
start_lane() {
  local name=$1
  (
    renice -n "$2" -p "$BASHPID" >/dev/null 2>&1 || true
    passed=0 failed=0 failures=() counted_processor=0
    for name in "$1" "${@:3}"; do
      if [ "$name" = idle ]; then renice -n 10 -p "$BASHPID" >/dev/null 2>&1 || true; fi
      run_lane "$name"
    done
    name=$1
    declare -p passed failed failures | sed 's/^declare /declare -g /' >"$results/lane-$name.sh"
  ) >"$results/lane-$name.txt" 2>&1 &
  lanes+=("$name $!")
}

# Waits for them, and shows and counts what they did.
join_lanes() {
  local lane
  for lane in "${lanes[@]}"; do join_lane "${lane% *}" "${lane#* }"; done
  lanes=()
  read_processor counted_processor # Theirs was counted by themselves.
}

join_lane() {
  local name=$1
  wait "$2" || true
  cat "$results/lane-$name.txt"
  if [ ! -e "$results/lane-$name.sh" ]; then
    fail "$name lane" "what runs beside the others ended early; $results/lane-$name.txt"
    return
  fi
  local before_passed=$passed before_failed=$failed before=("${failures[@]}")
  # shellcheck disable=SC1090
  . "$results/lane-$name.sh"
  passed=$((passed + before_passed))
  failed=$((failed + before_failed))
  failures=("${before[@]}" "${failures[@]}")
}

run_test_projects() {
  local area
  for area in $(test_projects); do
    belongs "$area" || continue
    if [ "$(lane_of "$area")" = "$1" ] && begins "$area"; then run_test_project "$area" "$area" "$(has_alone "$area" && echo 'Runs!=alone')"; fi
    if [ "$1" = alone ] && has_alone "$area" && begins "$area-alone"; then run_test_project "$area" "$area-alone" Runs=alone; fi
  done
}

# set_programs ARRAY COORDINATOR COMMAND: the variables by which tests start these programs; of one that is empty they take what the build made.
set_programs() {
  local -n variables=$1
  [ -z "$2" ] || variables+=("AMBROSIA_COORDINATOR=$2")
  [ -z "$3" ] || variables+=("AMBROSIA_COMMAND=$3")
}

# Whether this run has the tests of a project.
belongs() { wanted "$1" && { ! is_long "$1" || $all || $soak || [ "$only" = "$1" ]; }; }

# run_test_project AREA NAME FILTER: the tests of a project, or those of them that a filter takes.
run_test_project() {
  local area=$1 name=$2 begin folder="$results/$2" code=0 setting=() native=""
  mkdir -p "$folder"
  if [ "$area" = EndToEnd ]; then native_coordinator native; fi
  begin=$SECONDS
  case "$area" in
    EndToEnd) set_programs setting "$native" "$ahead_command" ;;
    LogStore.Azure | LogStore.Postgres | PowerCut | Replicas | SilentHosts | SystemFaults) set_programs setting "$ahead_coordinator" "$ahead_command" ;;
  esac
  bounded "$(limit_of "$area")" "$folder/output.txt" \
    env ${setting[@]+"${setting[@]}"} dotnet test "$(folder_of "$area")"/bin/Release/*/"$area.Tests.dll" --logger "trx;LogFileName=results.trx" --results-directory "$folder" ${3:+--filter "$3"} || code=$?
  local counters
  counters=$(grep -o '<Counters [^>]*>' "$folder/results.trx" 2>/dev/null | tail -n 1) || true
  if [ -z "$counters" ]; then
    tail -n 30 "$folder/output.txt"
    fail "$name" "it ended with code $code and wrote no results$([ $code -eq 124 ] && echo " (time limit)")" $((SECONDS - begin))
    return
  fi
  local good bad total
  good=$(attribute passed "$counters")
  total=$(attribute total "$counters")
  bad=$((total - good)) # Whatever did not pass counts, tests that were not run included.
  if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ "$total" -eq 0 ]; then
    fail "$name" "it holds no tests" $((SECONDS - begin))
    return
  fi
  count "$name" "$good" "$bad" $((SECONDS - begin))
  sed 's/^/    /' "$AMBROSIA_REPORTS/$area.txt" 2>/dev/null || true
  if [ "$bad" -gt 0 ]; then
    failures+=("$name: $bad of $total tests did not pass (code $code); $folder/output.txt$(failed_tests "$folder/output.txt")")
  fi
}

# The name of each test that failed, the start of what it said, and where: a run's last lines are often all that somebody sees of it.
failed_tests() {
  awk '
    /^  Failed / { if (++tests > 10) exit; print; lines = 0; tracing = 0; next }
    /^  Stack Trace:/ { tracing = 1; next }
    /^  Standard Output|^$|^  Passed |^\[xUnit/ { lines = 99 }
    !tests || /^  Error Message:/ { next }
    !tracing && lines < 8 { lines++; print; next }
    tracing && /\/tests\// { sub(/ in .*\/tests\//, " in tests/"); print; tracing = 0; lines = 99 }
  ' "$1" | cut -c1-300 | sed 's/^/  /; 1s/^/\n/'
}

attribute() { printf '%s' "$2" | sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p"; }

# Each sample is a test: it checks itself and ends with a code other than 0 when anything is off.
run_samples() {
  wanted samples || return 0
  local chaos=10
  if $all; then chaos=30; fi
  if $soak; then chaos=1800; fi
  if [ "$(lane_of TimeTravel-sample)" = "$1" ]; then run_sample TimeTravel 180; fi
  [ "$1" = main ] || return 0
  run_sample HelloWorld 120
  run_sample WordCount 180 docs/guide
  run_sample Timers 120
  run_sample Orders 120
  run_sample Shop 180
  run_sample Upgrade 120
  run_sample Bank $((chaos + 180)) --chaos "$chaos"
}

run_sample() {
  local name=$1 limit=$2 begin=$SECONDS code=0
  shift 2
  begins "sample-$name" || return 0
  local output="$results/sample-$name.txt"
  bounded "$limit" "$output" dotnet run --project "samples/$name" -c Release --no-build -- "$@" || code=$?
  if [ "$code" -ne 0 ]; then
    tail -n 40 "$output"
    fail "samples/$name" "it ended with code $code$([ $code -eq 124 ] && echo " (time limit)"); $output" $((SECONDS - begin))
  elif grep -qE '^[[:space:]]+at [A-Za-z_.<>]+\(' "$output"; then
    fail "samples/$name" "its output shows a stack trace; $output" $((SECONDS - begin))
  else
    count "samples/$name" 1 0 $((SECONDS - begin))
  fi
}

# Checks that need more than the SDK: each is a script tests/*/*/run-with-*.sh that ends with "N passed, N failed".
run_tools() {
  { $all && wanted tools; } || [ "$only" = tools ] || return 0
  local script
  for script in tests/*/*/run-with-*.sh; do
    [ -e "$script" ] || continue
    if [ "$(lane_of "$script")" = "$1" ] && begins "$script"; then run_tool "$script"; fi
  done
}

# Builds early, while others wait, what the hunts for planted bugs need at the end. Without it they build it, and say what is wrong with it: a failure here is none.
prepare_planted_bugs() {
  if DOTNET_TieredPGO=0 bounded 1200 "$results/planted-build.txt" bash tests/harnesses/PlantedBugs/build.sh; then echo "$AMBROSIA_TEST_RUN" >"$results/planted-built.txt"; fi
}

run_tool() {
  local script=$1 begin=$SECONDS code=0
  local name output last
  name=$(basename "$(dirname "$script")")/$(basename "$script" .sh)
  output="$results/$(printf '%s' "$name" | tr '/' '-').txt"
  local limit=600
  case "$script" in
    */PlantedBugs/*) limit=1500 ;; # A build of its own, and more than a hundred hunts.
    */run-with-qemu.sh) limit=1500 ;; # Two native compilers at work.
  esac
  local setting=()
  case "$script" in */run-with-python.sh) set_programs setting "$ahead_coordinator" "" ;; esac
  bounded "$limit" "$output" env ${setting[@]+"${setting[@]}"} bash "$script" || code=$?
  last=$(tail -n 1 "$output")
  if ! [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    tail -n 20 "$output"
    fail "$name" "it ended with code $code and without its counts; $output" $((SECONDS - begin))
    return
  fi
  local bad=${BASH_REMATCH[2]}
  if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  count "$name" "${BASH_REMATCH[1]}" "$bad" $((SECONDS - begin))
  if [ "$bad" -gt 0 ]; then
    failures+=("$name: $bad did not pass; $output"$'\n'"$(failed_checks "$output")")
  fi
}

failed_checks() { { grep -aE 'FAILED|NOT CAUGHT|DECOYED|FALSE ALARM' "$1" || tail -n 20 "$1"; } | cut -c1-2000 | head -n 20 | sed 's/^/    /'; }

# need COMMAND PACKAGE: notes a package whose command is not there, wherever it may lie.
need() { PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null 2>&1 || missing+=("$2"); }

# Node.js, npm, Python, Chromium, file systems, networks, a C compiler; a machine that has neither them nor the right to install them fails here, with a sentence.
install_tools() {
  local missing=()
  need node nodejs
  need npm npm
  need python3 python3
  need chromium chromium
  need cc gcc
  need cc libc6-dev
  # For the images of the other processor.
  if [ "$(uname -m)" = x86_64 ]; then
    need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
    need aarch64-linux-gnu-gcc libc6-dev-arm64-cross
    need qemu-aarch64-static qemu-user-static
  fi
  [ -e /usr/include/zlib.h ] || missing+=(zlib1g-dev)
  need mkfs.ext4 e2fsprogs
  need mkfs.xfs xfsprogs
  need unshare util-linux
  need ip iproute2
  need nft nftables
  need setpriv util-linux
  need openssl openssl
  # Apps with real cultures; the number in the name of the library's own package is another one in each distribution.
  [ -n "$(PATH="$PATH:/usr/sbin:/sbin" ldconfig -p | grep libicuuc)" ] || missing+=(libicu-dev)
  # Its programs lie outside of PATH. Tests start a server of their own.
  compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || missing+=(postgresql)
  [ ${#missing[@]} -gt 0 ] || return 0
  say "Installing ${missing[*]}"
  local sudo=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 && sudo="sudo -n" || { fail tools "${missing[*]} is missing, and installing it needs root"; return; }
  fi
  if ! { $sudo apt-get update -q && $sudo apt-get install -y -q --no-install-recommends "${missing[@]}"; } >"$results/tools.log" 2>&1 </dev/null; then
    fail tools "${missing[*]} is missing and apt-get could not install it; $results/tools.log"
  fi
}

# Processes of this run that are still there. Only those with our mark in their environment: never anybody else's.
left_behind() {
  local process id
  for process in /proc/[0-9]*; do
    id=${process#/proc/}
    if [ "$id" = "$$" ] || [ "$id" = "$BASHPID" ]; then continue; fi
    if tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -x "AMBROSIA_TEST_RUN=$AMBROSIA_TEST_RUN" >/dev/null; then
      printf '%s\n' "$id"
    fi
  done
}

command_of() { tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" | cut -c1-160; }

check_processes() {
  [ -d /proc/self ] || return 0
  local id what
  for id in $(left_behind); do
    what=$(command_of "$id")
    case "$what" in
      "" | *test.sh* | *.ci/run*) continue ;;
      *VBCSCompiler*) kill "$id" 2>/dev/null || true ;;
      *)
        kill -9 "$id" 2>/dev/null || true
        fail "processes" "process $id was left behind and has been killed: $what"
        ;;
    esac
  done
}

# Processes of the system under test that really were ended by SIGKILL: by harnesses, by themselves at named points, by the bank's monkey.
killed_in_all() {
  cat "$AMBROSIA_REPORTS"/kills/*.txt 2>/dev/null || true
  sed -n 's/^\(.*[^0-9]\)\{0,1\}\([0-9][0-9]*\) SIGKILLs:.*/\2/p' "$results/sample-Bank.txt" 2>/dev/null || true
}

# 400 belong to a full run.
count_kills() {
  local kills
  kills=$(killed_in_all | awk '{ sum += $1 } END { print sum + 0 }')
  [ "$kills" -gt 0 ] || return 0
  say "$kills processes were ended by SIGKILL"
  if $all && [ -z "$only" ] && [ "$kills" -lt 400 ]; then fail kills "$kills real SIGKILLs in all; 400 belong to a full run"; fi
}

finish() {
  check_processes
  count_kills
  local one
  if [ ${#failures[@]} -gt 0 ]; then
    say ""
    say "What failed:"
    for one in "${failures[@]}"; do say "  $one"; done
  fi
  say ""
  say "Took $((SECONDS - started)) s"
  say "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] && exit 0
  exit 1
}
