import ArgumentParser

/// The options for the number of concurrent jobs of a worker.
struct JobSlots: ParsableArguments {
    @Option(
        help: """
            How many pages each worker captures at a time, and how many viewer copies and drawings it makes beside them. \
            (default: 2)
            """)
    var browserJobs: Int?

    @Option(
        help: "How many pictures each worker fetches at a time, and how many files it reads beside them. (default: 4)")
    var otherJobs: Int?
}

extension JobSlots {
    /// Returns the numbers given by the options and the environment.
    func counts(environment: [String: String]) throws -> Counts {
        Counts(
            browser: try environment.number(of: "--browser-jobs", browserJobs, in: 1...64) ?? 2,
            other: try environment.number(of: "--other-jobs", otherJobs, in: 1...64) ?? 4)
    }

    /// The numbers of slots.
    struct Counts: Sendable {
        /// The slots for captures; viewer copies and drawings have as many.
        var browser: Int
        /// The slots for picture fetches; reading files has as many.
        var other: Int

        /// The number of slots of each lane.
        var lanes: [String: Int] {
            [
                JobKind.capture.lane: browser, JobKind.viewerCopy.lane: browser, JobKind.pictureFetch.lane: other,
                JobKind.pictureCheck.lane: other,
            ]
        }

        /// The options that pass these numbers to a worker.
        var arguments: [String] { ["--browser-jobs", "\(browser)", "--other-jobs", "\(other)"] }
    }
}
