# shellcheck shell=bash
# Sourced by all scripts that build.

# SwiftPM names the enabled traits to the compiler in the order of a set, which differs from process to process. Each new
# plan, such as that of `swift build` after `swift build --build-tests`, would compile all targets of this package again.
swift() {
    SWIFT_DETERMINISTIC_HASHING=1 command swift "$@"
}
