import Figures
import Foundation
import Subprocess
import SystemPackage

/// Measures a capture by a process of its own, from its start to its exit, against `chromium --headless --screenshot`.
struct ColdFigures {
    /// A page that fits in the window.
    var page: URL
    var rounds: Int
    var chromium: String
    /// The program `meanwhile`.
    var meanwhile: String

    /// Measures, and returns the report.
    func report() async throws -> String {
        let screenshot = try HeadlessScreenshot(chromium: chromium)
        defer { screenshot.remove() }
        let window = (width: 1280, height: 800)
        var meanwhile = Series()
        var newProfile = Series()
        var sameProfile = Series()
        // The first round fills the system's caches; it isn't counted.
        for round in 0...rounds {
            let values = [
                try await time(),
                try await screenshot.time(of: page, isFirst: true, window: window),
                try await screenshot.time(of: page, isFirst: false, window: window),
            ]
            note("cold \(round)/\(rounds)", page.path(), values.map { "\($0.digits(0)) ms" }.joined(separator: ", "))
            guard round > 0 else { continue }
            meanwhile.add(values[0])
            newProfile.add(values[1])
            sameProfile.add(values[2])
        }
        var table = MarkdownTable(columns: ["", "median", "min", "max", "ratio"])
        for (name, series) in [
            ("`meanwhile capture --format png`", meanwhile),
            ("`chromium --headless --screenshot`, new profile", newProfile),
            ("`chromium --headless --screenshot`, the same profile again", sameProfile),
        ] {
            table.add([
                name, series.median.digits(0), series.minimum.digits(0), series.maximum.digits(0),
                (series.median / meanwhile.median).digits(2),
            ])
        }
        let ratio = meanwhile.median / newProfile.median
        return """
            ### A process for one picture

            The whole process, in milliseconds, for a page that fits in its window; \(rounds) alternating rounds.
            Meanwhile's profile is new each time.

            \(table)
            \(verdict(ratio, "the time of `chromium --headless --screenshot` with a new profile", atMost: 1))
            """
    }

    /// - Returns: The duration of the process in milliseconds.
    private func time() async throws -> Double {
        let folder = FileManager.default.temporaryDirectory.appending(path: "capture-figures-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = ContinuousClock.now
        let result = try await run(
            .path(FilePath(meanwhile)),
            arguments: [
                "capture", "--format", "png", "--output", folder.path, "--allow", "127.0.0.1", page.absoluteString,
            ], output: .discarded, error: .currentStandardError)
        let milliseconds = (ContinuousClock.now - start).milliseconds
        guard result.terminationStatus.isSuccess else {
            throw MeasurementError("`meanwhile capture` failed; the reason is above.")
        }
        return milliseconds
    }
}
