# shellcheck shell=bash
# Sourced by script/test and script/soak, after stages.bash: builds, runs and counts tests.

# The folder of the products of `swift build --build-tests`.
test_products=.build/debug

# run_tests ARGUMENTS…: runs the built tests, with arguments of `swift test` (--filter, --skip, --repetitions). Also
# fails if no test ran, or if the tests hang.
#
# Doesn't use `swift test`, which needs the build database even with --skip-build: runs go in parallel to each other and
# to builds.
# shellcheck disable=SC2154 # `stage` sets stage_name, and stages.bash lane_folder.
run_tests() {
    local slug=${stage_name//[^a-zA-Z0-9]/-} status=0
    local report="$lane_folder/$slug.xml" output="$lane_folder/$slug.txt"
    # The stages of a soak take hours on a slow processor.
    local limit=${MEANWHILE_STAGE_LIMIT:-$([[ ${MEANWHILE_SOAK-} == 1 ]] && echo 4h || echo 60m)}
    rm -f "$report"
    # Most tests wait for a browser of their own: too many in parallel slow each other down beyond their deadlines.
    export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-8}
    timeout --foreground --kill-after=10 "$limit" \
        env NO_COLOR=1 "$test_products/meanwhilePackageTests.xctest" --testing-library swift-testing --xunit-output "$report" "$@" 2>&1 |
        tee "$output" || status=$?
    if ((status == 124 || status == 137)); then
        echo "The tests were ended after $limit." >&2
        stage_details+=("The tests were ended after $limit. These had begun and not ended: $(unfinished_tests "$output")")
        return 1
    fi
    # If the test process crashes, the report is incomplete.
    if ! grep -qs '</testsuites>' "$report"; then
        stage_details+=("The test process ended before it could report, with exit status $status." "$(crash "$output")")
        printf '%s\n' "${stage_details[@]: -2}" >&2
        return 1
    fi
    count_tests "$report" || status=1
    return "$status"
}

# crash OUTPUT: prints what a crashed test process printed about its crash, and the tests that were running.
crash() {
    echo "These tests had begun and not ended: $(unfinished_tests "$1")"
    grep -aE -m 1 -A 40 'Fatal error|Program crashed|Precondition failed' "$1" || tail -n 5 "$1"
}

# unfinished_tests OUTPUT: prints the names of the tests that have started and not ended.
unfinished_tests() {
    awk '
        $2 != "Test" || $3 == "case" || $3 == "run" { next }
        $NF == "started." { running[$3] += 1 }
        / (passed|failed) after / { running[$3] -= 1 }
        $NF == "skipped" || $4 == "skipped" { running[$3] -= 1 }
        END { for (name in running) if (running[name] > 0) printf "%s ", name }' "$1"
}

# build_tests_for ARGUMENTS…: builds the test targets with tests that match a filter, and what they need. Builds all
# targets if there is no filter, or if one matches none of the names that `test_names` prints.
build_tests_for() {
    local filters=() filter found wanted='' target
    while (($#)); do
        case $1 in
            --filter) filters+=("${2?--filter needs a value}") ;;
            --skip | --repetitions) : "${2?$1 needs a value}" ;;
            *)
                echo "script/test: unknown argument $1. Use --filter, --skip or --repetitions." >&2
                return 64
                ;;
        esac
        shift 2
    done
    for filter in "${filters[@]}"; do
        found=$(test_names | grep -E -e "$filter" | cut -d. -f1 | sort -u | paste -sd' ') || true
        [[ $found ]] || { wanted='' && break; }
        wanted+="$found "
    done
    # Remove the old program, so that a failed build doesn't run it.
    rm -f "$test_products/meanwhilePackageTests.xctest"
    if [[ ! $wanted ]]; then
        swift build --build-tests
        return
    fi
    echo "test targets: $wanted"
    export MEANWHILE_TEST_TARGETS=$wanted
    swift build --product meanwhilePackageTests || return
    # Programs that these tests start.
    for target in $wanted; do
        case $target in
            MeanwhileTests) swift build --product meanwhile || return ;;
            PersistenceTests | HealthSamplesTests | HTTPFetchingTests | EmojiArtStoreTests)
                swift build --product StoreWriter || return
                ;;
        esac
    done
}

# Prints Target.Suite/function() for every type and every function of each file, also for pairs that aren't tests.
test_names() {
    grep -rEo --include='*.swift' '\b(struct|class|enum|actor|extension|func) +`?[A-Za-z_][A-Za-z0-9_]*' Tests/*Tests |
        awk -F'[:/ ]+' '
            function flush(  type, name) {
                for (name in names) print target "." name "()"
                for (type in types) { print target "." type; for (name in names) print target "." type "/" name "()" }
                split("", types); split("", names)
            }
            $0 !~ /:/ { next }
            { path = $0; sub(/:.*/, "", path) }
            path != file { flush(); file = path; split(path, parts, "/"); target = parts[2] }
            { word = $NF; gsub(/`/, "", word); if ($(NF - 1) == "func") names[word]; else types[word] }
            END { flush() }'
}

# Each group of tests runs in a process of its own, with these arguments of `swift test`.
#
# - pages: tests that drive Chromium, and all tests in no other group.
# - unit: tests that need no browser, no disk and no other process.
# - storage: tests that mostly wait for the disk.
# - kills: tests that kill writing processes.
# - program: tests that start and kill the program. The processes that it leaves become children of the tests, which
#   delay exit tests until OrphanReaper has reaped them.
# - explorations: tests that compute without a pause, on the threads that other tests' tasks need.
readonly computing='^Interleaving|Explorations|FuzzTests' program='^MeanwhileTests'
readonly storage='^(DatabaseMove|DurableFiles|Persistence|PostgreSQL|S3|HealthSamples|Jobs|CoffeeTrackerStore|EmojiArtStore)Tests' kills='^[A-Za-z]+Tests[.][A-Za-z]+KillTests'
readonly unit='^(FuturesTests|ConcurrencyTests|DigestsTests|EmojiArtModelTests|FuzzingTests|ImageInfoTests|LoadingTests|EgressTests|HTTPFetchingTests|PrometheusMetricsTests)[.]'

# group_arguments GROUP: sets `arguments`.
group_arguments() {
    case $1 in
        pages) arguments=(--skip "$computing" --skip "$storage" --skip "$program" --skip "$unit" --skip "$kills") ;;
        unit) arguments=(--filter "$unit" --skip "$computing" --skip "$kills") ;;
        storage) arguments=(--filter "$storage" --skip "$computing" --skip "$kills") ;;
        kills) arguments=(--filter "$kills") ;;
        program) arguments=(--filter "$program") ;;
        explorations) arguments=(--filter "$computing") ;;
        *) echo "there is no group of tests $1" >&2 && return 1 ;;
    esac
}

# run_group GROUP ARGUMENTS…: runs the tests of a group as a stage, with more arguments of `swift test`.
run_group() {
    local group=$1 arguments
    shift
    group_arguments "$group"
    stage "tests: $group" run_tests "${arguments[@]}" "$@" || true
}

# count_tests REPORT: prints skipped tests by name, and the counts. Fails if no test ran. Failed tests are listed at the
# end of the script.
count_tests() {
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

# failed_tests REPORT: prints a line for each failed test, with its name and its first failure.
failed_tests() {
    awk -F'"' '
        /<testcase / { test = $2 "." $4 }
        /<failure/ { if (test != failing) { failing = test; print test ": " substr($2, 1, 300) } }' "$1" |
        sed "s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&apos;/'/g; s/&#8594;/→/g; s/&amp;/\&/g"
}
