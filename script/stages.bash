# shellcheck shell=bash
# Sourced by script/test and script/soak: runs stages, in parallel if asked, and prints the result of each stage when
# the script ends.
#
# A lane changes its own copies of these variables, which `join_lanes` merges into the script's:
# shellcheck disable=SC2030,SC2031

# shellcheck source=script/swift.bash
source "$(dirname "${BASH_SOURCE[0]}")/swift.bash"

stage_rows=()
stages_failed=()
# The messages of failed stages, printed last, because people read the end of a long output.
stage_details=()
stages_began=$SECONDS
# The names of the running lanes.
lanes=()
lane_processes=()
# Temporary files of lanes and tests.
lane_folder=.build/stages.$$

# stage NAME COMMAND…: a failure ends the script, unless the caller handles it, and is reported in any case.
stage() {
    local stage_name=$1 began=$SECONDS computed before status=0
    shift
    printf '\n==> %s\n' "$stage_name"
    count_computed
    before=$computed
    "$@" || status=$?
    count_computed
    local outcome=passed
    if ((status)); then
        outcome=FAILED
        stages_failed+=("$stage_name")
        printf '==> %s FAILED (exit status %d)\n' "$stage_name" "$status" >&2
    fi
    stage_rows+=("$(stage_row "$stage_name" "$outcome" $((SECONDS - began)) $((computed - before)))")
    return "$status"
}

# Sets `computed` to the processor time, in seconds, of this shell's children that have ended, except lanes: bash adds a
# lane's time when the lane ends, which may be during any stage.
#
# Processes that their parents didn't wait for aren't counted, such as Chromium's sandboxed ones: during the groups of
# tests, /proc/stat shows about twice as much.
#
# It doesn't print the result, because a subshell that prints it would count only its own children.
count_computed() {
    local times_file=$lane_folder/times.$BASHPID index lane_times
    times >"$times_file"
    computed=0
    { read -r _ && add_times 1; } <"$times_file"
    for index in "${!lanes[@]}"; do
        lane_times=$lane_folder/${lanes[index]}.times
        if [[ -e $lane_times ]] && ! kill -0 "${lane_processes[index]}" 2>/dev/null; then add_times -1 <"$lane_times"; fi
    done
}

# add_times SIGN: adds what `times` printed, in seconds, to `computed`, or subtracts it.
add_times() {
    local user system time seconds
    while read -r user system; do
        for time in "$user" "$system"; do
            seconds=${time#*m}
            computed=$((computed + $1 * (${time%%m*} * 60 + ${seconds%%[.,]*})))
        done
    done
}

# stage_row NAME OUTCOME SECONDS PROCESSOR_SECONDS
stage_row() {
    printf '%-28s %-8s %6s %10s' "$1" "$2" "$(tenths_of_minutes "$3")" "$(tenths_of_minutes "$4")"
}

tenths_of_minutes() {
    local tenths=$((($1 * 10 + 30) / 60))
    printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

# lane NAME COMMAND…: runs a function with stages of its own in parallel to everything else; see `join_lanes`.
lane() {
    local name=$1
    shift
    # In a process group of its own, so that it can be killed with all its children.
    set -m
    {
        set +m
        stage_rows=() stages_failed=() stage_details=() lanes=() lane_processes=()
        trap 'declare -p stage_rows stages_failed stage_details | sed "s/^declare -a /&-g /" >"$lane_folder/$name.results"
            times >"$lane_folder/$name.times"' EXIT
        "$@"
    } >"$lane_folder/$name.log" 2>&1 </dev/null &
    lanes+=("$name")
    lane_processes+=($!)
    set +m
}

# Waits for all lanes, prints their output, and merges their stages into the script's.
join_lanes() {
    local index name rows failed details status
    for index in "${!lanes[@]}"; do
        name=${lanes[index]}
        status=0
        wait "${lane_processes[index]}" || status=$?
        cat "$lane_folder/$name.log"
        rows=("${stage_rows[@]}") failed=("${stages_failed[@]}") details=("${stage_details[@]}")
        stage_rows=() stages_failed=("$name") stage_details=("$name ended before it could report.")
        # shellcheck source=/dev/null
        [[ -e $lane_folder/$name.results ]] && source "$lane_folder/$name.results"
        if ((status && ${#stages_failed[@]} == 0)); then
            stages_failed=("$name") stage_details=("$name ended with the status $status between its stages.")
        fi
        stage_rows=("${rows[@]}" "${stage_rows[@]}")
        stages_failed=("${failed[@]}" "${stages_failed[@]}")
        stage_details=("${details[@]}" "${stage_details[@]}")
    done
    lanes=() lane_processes=()
}

finish_stages() {
    local status=$?
    # A script that ends early kills its lanes, and prints what they have found.
    local process
    for process in "${lane_processes[@]}"; do kill -- "-$process" 2>/dev/null || true; done
    join_lanes
    local computed
    count_computed
    rm -rf "$lane_folder"
    printf '\n%-28s %-8s %6s %10s\n' stage outcome minutes computing
    printf '%s\n' "${stage_rows[@]}" "$(stage_row total '' $((SECONDS - stages_began)) "$computed")"
    if ((${#stages_failed[@]})); then
        printf '\nFAILED: %s\n' "$(printf '%s, ' "${stages_failed[@]}" | sed 's/, $//')"
        ((${#stage_details[@]})) && printf '  %s\n' "${stage_details[@]}"
        exit 1
    fi
    if ((status)); then printf '\nFAILED before the end\n'; fi
    exit "$status"
}
trap finish_stages EXIT
mkdir -p "$lane_folder"
