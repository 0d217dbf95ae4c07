# shellcheck shell=bash
# Sourced by script/test and script/soak: runs stages, and when the script ends, prints how each one went.

stage_rows=()
stages_failed=()
# What a stage says about its failure: it is told last, because the end of a long output is what people see.
stage_details=()
stages_began=$SECONDS

# stage NAME COMMAND…: its failure ends the script, unless the caller catches it. Failed stages are never forgotten.
stage() {
    local name=$1 began=$SECONDS status=0
    shift
    printf '\n==> %s\n' "$name"
    "$@" || status=$?
    local outcome=passed
    if ((status)); then
        outcome=FAILED
        stages_failed+=("$name")
        printf '==> %s FAILED (exit status %d)\n' "$name" "$status" >&2
    fi
    stage_rows+=("$(stage_row "$name" "$outcome" $((SECONDS - began)))")
    return "$status"
}

# stage_row NAME OUTCOME SECONDS
stage_row() {
    local tenths=$((($3 * 10 + 30) / 60))
    printf '%-28s %-8s %4d.%d' "$1" "$2" $((tenths / 10)) $((tenths % 10))
}

finish_stages() {
    local status=$?
    printf '\n%-28s %-8s %6s\n' stage outcome minutes
    printf '%s\n' "${stage_rows[@]}" "$(stage_row total '' $((SECONDS - stages_began)))"
    if ((${#stages_failed[@]})); then
        printf '\nFAILED: %s\n' "$(printf '%s, ' "${stages_failed[@]}" | sed 's/, $//')"
        ((${#stage_details[@]})) && printf '  %s\n' "${stage_details[@]}"
        exit 1
    fi
    if ((status)); then printf '\nFAILED before the end\n'; fi
    exit "$status"
}
trap finish_stages EXIT
