import ArgumentParser

/// The options for the number of concurrent jobs of a worker.
struct JobSlots: ParsableArguments {
    @Option(help: JobWords.browserJobs)
    var browserJobs: Int?

    @Option(help: JobWords.otherJobs)
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
        /// The number of slots for captures, and the same number for viewer copies and drawings.
        var browser: Int
        /// The number of slots for picture fetches, and the same number for reading files.
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
