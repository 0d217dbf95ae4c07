# shellcheck shell=bash
# Sourced by script/test and script/soak, after stages.bash: runs tests and counts them.

# run_tests ARGUMENTS…: as `swift test`, and fails as well if no test ran at all, or if they hang.
run_tests() {
    local report=.build/tests.xml output=.build/tests.log status=0
    # A soak's stages take hours where a processor is slow.
    local limit=${MEANWHILE_STAGE_LIMIT:-$([[ ${MEANWHILE_SOAK-} == 1 ]] && echo 4h || echo 35m)}
    rm -f "$report"
    # Most tests wait for a browser of their own: too many at a time only slow each other down to their deadlines.
    export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-8}
    timeout --kill-after=10 "$limit" swift test --disable-xctest --xunit-output "$report" "$@" 2>&1 | tee "$output" || status=$?
    if ((status == 124 || status == 137)); then
        echo "The tests were ended after $limit." >&2
        stage_details+=("The tests were ended after $limit. These had begun and not ended: $(hanging_tests "$output")")
        return 1
    fi
    count_tests "$report" || status=1
    return "$status"
}

# The names of those that an output says have begun, and not that they have ended.
hanging_tests() {
    awk '
        $2 != "Test" || $3 == "case" || $3 == "run" { next }
        $NF == "started." { running[$3] += 1 }
        / (passed|failed) after / { running[$3] -= 1 }
        $NF == "skipped" || $4 == "skipped" { running[$3] -= 1 }
        END { for (name in running) if (running[name] > 0) printf "%s ", name }' "$1"
}

# run_tests_apart NAME ARGUMENTS…: all tests, in six processes, each a stage, with these arguments of `swift test`.
#
# Tests of the program kill it, and its browser's processes fall to the tests' own: while such a dead child is there, Swift
# Testing does not see the end of an exit test. So these run without any browser. Tests of what is kept wait for the disk most
# of the time, and keep it from others; those that kill whoever writes to it keep everything from others. And explorations,
# and what tries many inputs, keep the threads that tasks run on, as many as there are processors, from whoever waits for a
# connection or a browser.
run_tests_apart() {
    local name=$1 computing='^Interleaving|Explorations|FuzzTests' program='^MeanwhileTests'
    local kept='^(Persistence|HealthSamples|CoffeeTrackerStore|EmojiArtStore)Tests' killed='^[A-Za-z]+Tests[.][A-Za-z]+KillTests'
    local quick='^(FuturesTests|EmojiArtModelTests|LoadingTests|EgressTests|HTTPFetchingTests)[.]'
    shift
    stage "$name" run_tests "$@" --skip "$computing" --skip "$kept" --skip "$program" --skip "$quick" --skip "$killed" || true
    stage "$name of what is quick" run_tests "$@" --filter "$quick" --skip "$computing" --skip "$killed" || true
    stage "$name of what is kept" run_tests "$@" --filter "$kept" --skip "$computing" --skip "$killed" || true
    stage "$name of what is killed" run_tests "$@" --filter "$killed" || true
    stage "$name of the program" run_tests "$@" --filter "$program" || true
    stage "explorations" run_tests "$@" --filter "$computing" || true
}

# What failed and what was skipped, by name, and how many there were. No test at all is a failure. What failed is told again
# at the end of the script.
count_tests() {
    # A test process that crashes leaves the report without an end.
    if ! grep -qs '</testsuites>' "$1"; then
        echo "The test process ended before it could report: what it said last is above." >&2
        stage_details+=("The test process ended before it could report.")
        return 1
    fi
    local failed
    mapfile -t failed < <(failed_tests "$1")
    stage_details+=("${failed[@]}")
    awk -F'"' -v failed="${#failed[@]}" '
        /<testcase / { test = $2 "." $4; ran += 1 }
        /<skipped/ { skipped += 1; ran -= 1; print "skipped: " test }
        END {
            printf "%d passed, %d failed, %d skipped\n", ran - failed, failed, skipped
            if (!ran) { print "No test ran." > "/dev/stderr"; exit 1 }
        }' "$1"
}

# A line for each that failed: its name, and the first of what it expected.
failed_tests() {
    awk -F'"' '
        /<testcase / { test = $2 "." $4 }
        /<failure/ { if (test != failing) { failing = test; print test ": " substr($2, 1, 300) } }' "$1" |
        sed "s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&apos;/'/g; s/&#8594;/→/g; s/&amp;/\&/g"
}
