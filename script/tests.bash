# shellcheck shell=bash
# Sourced by script/test and script/soak, after stages.bash: builds, runs and counts tests.

# The folder with what `swift build --build-tests` makes.
test_products=.build/debug

# run_tests ARGUMENTS…: runs the tests that are built, with arguments of `swift test` (--filter, --skip, --repetitions). Fails
# as well if no test ran at all, or if they hang.
#
# Not by `swift test`, which uses the database of builds also with --skip-build: several runs go beside each other, and beside
# builds.
# shellcheck disable=SC2154 # `stage` sets stage_name, and stages.bash lane_folder.
run_tests() {
    local slug=${stage_name//[^a-zA-Z0-9]/-} status=0
    local report="$lane_folder/$slug.xml" output="$lane_folder/$slug.txt"
    # A soak's stages take hours where a processor is slow.
    local limit=${MEANWHILE_STAGE_LIMIT:-$([[ ${MEANWHILE_SOAK-} == 1 ]] && echo 4h || echo 45m)}
    rm -f "$report"
    # Most tests wait for a browser of their own: too many at a time only slow each other down to their deadlines.
    export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-8}
    timeout --foreground --kill-after=10 "$limit" \
        env NO_COLOR=1 "$test_products/meanwhilePackageTests.xctest" --testing-library swift-testing --xunit-output "$report" "$@" 2>&1 |
        tee "$output" || status=$?
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

# build_tests_for ARGUMENTS…: builds the test targets in which a filter finds a test, and what they need; all, where there is no
# filter or where one finds none by the names that `test_names` knows.
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
    # Without the old program: a failed build must not run it.
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

# Each test as Target.Suite/function(), among other combinations: every type of a file with every function of it.
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

# Each group of tests is a process of its own, with these arguments of `swift test`.
#
# - pages: what drives Chromium, and everything that is in no other group.
# - unit: needs no browser, no disk and no other process.
# - storage: waits for the disk most of the time.
# - kills: kills the processes that write.
# - program: starts the program and kills it. Apart from browsers: their dead processes become this process's children, and
#   while there is one, Swift Testing does not see the end of an exit test.
# - explorations: compute without a pause, on the threads that other tests' tasks need.
readonly computing='^Interleaving|Explorations|FuzzTests' program='^MeanwhileTests'
readonly storage='^(DurableFiles|Persistence|HealthSamples|Jobs|CoffeeTrackerStore|EmojiArtStore)Tests' kills='^[A-Za-z]+Tests[.][A-Za-z]+KillTests'
readonly unit='^(FuturesTests|ConcurrencyTests|DigestsTests|EmojiArtModelTests|FuzzingTests|ImageInfoTests|LoadingTests|EgressTests|HTTPFetchingTests)[.]'

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

# run_group GROUP ARGUMENTS…: a stage with the tests of a group, and more arguments of `swift test`.
run_group() {
    local group=$1 arguments
    shift
    group_arguments "$group"
    stage "tests: $group" run_tests "${arguments[@]}" "$@" || true
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
