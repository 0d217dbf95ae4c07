# shellcheck shell=bash
# Sourced by script/test and script/soak: runs tests and counts them.

# Those with exit tests, which are run in a process without any browser.
# shellcheck disable=SC2034
exit_tests=(FuturesTests HTTPFetchingTests InterleavingTests PersistenceTests)

# run_tests ARGUMENTS…: as `swift test`, and fails as well if no test ran at all.
run_tests() {
    local report=.build/tests.xml status=0
    rm -f "$report"
    # Most tests wait for a browser of their own: too many at a time only slow each other down to their deadlines.
    export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-8}
    swift test --disable-xctest --xunit-output "$report" "$@" || status=$?
    count_tests "$report" || status=1
    return "$status"
}

# What failed and what was skipped, by name, and how many there were. No test at all is a failure.
count_tests() {
    # A test process that crashes leaves the report without an end.
    if ! grep -qs '</testsuites>' "$1"; then
        echo "The test process ended before it could report: what it said last is above." >&2
        return 1
    fi
    awk -F'"' '
        /<testcase / { test = $2 "." $4; ran += 1 }
        /<failure/ { if (test != failing) { failing = test; failed += 1; print "failed: " test } }
        /<skipped/ { skipped += 1; ran -= 1; print "skipped: " test }
        END {
            printf "%d passed, %d failed, %d skipped\n", ran - failed, failed, skipped
            if (!ran) { print "No test ran." > "/dev/stderr"; exit 1 }
        }' "$1"
}
