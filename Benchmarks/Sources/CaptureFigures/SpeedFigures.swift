import Capture
import Figures
import Foundation

/// Measures the duration of one capture against other ways to render pages with the same browser.
struct SpeedFigures {
    /// One of the compared programs.
    private struct Contestant {
        var name: String
        /// The maximum ratios of the first contestant's time to this one's.
        var goals: [Double] = []
        /// - Returns: The duration in milliseconds.
        var time: () async throws -> Double
        var series = Series()
    }

    var page: URL
    var rounds: Int
    var chromium: String
    var python: String
    var peerScript: String

    /// Measures, and returns the report.
    func report() async throws -> String {
        let capturer = PageCapturer(configuration: .forThisMachine)
        let screenshot = try HeadlessScreenshot(chromium: chromium)
        defer { screenshot.remove() }
        let text = try await PlaywrightPeer.running(python: python, script: peerScript, chromium: chromium) { peer in
            try await report(capturer, screenshot, peer)
        }
        await capturer.close()
        return text
    }

    private func report(
        _ capturer: PageCapturer, _ screenshot: HeadlessScreenshot, _ peer: PlaywrightPeer
    ) async throws -> String {
        var phases: [CapturePhases.Phase: Series] = [:]
        let size = try await capturer.capture(page, formats: []).contentSize
        var contestants = [
            Contestant(name: "Meanwhile, warm: PNG, PDF and web archive") {
                let capture = try await capturer.time([.png, .pdf, .webArchive], of: page)
                for (phase, duration) in capture.phases { phases[phase, default: Series()].add(duration) }
                return capture.milliseconds
            },
            Contestant(name: "Meanwhile, warm: PNG alone") { try await capturer.time([.png], of: page).milliseconds },
            Contestant(name: "`chromium --headless --screenshot`, whole process, window only", goals: [1]) {
                try await screenshot.time(of: page, isFirst: false)
            },
            Contestant(
                name: "`chromium --headless --screenshot`, whole process, the whole page as the window", goals: [1]
            ) {
                try await screenshot.time(of: page, isFirst: false, window: size)
            },
            Contestant(name: "Playwright \(peer.version), warm: full-page PNG", goals: [1, 0.5]) {
                try await peer.time(.png, of: page)
            },
            // These have no goal.
            Contestant(name: "`chromium --headless --screenshot`, whole process, window only, new profile") {
                try await screenshot.time(of: page, isFirst: true)
            },
            Contestant(name: "Playwright \(peer.version), warm: full-page PNG, and PDF") {
                try await peer.time(.pngAndPDF, of: page)
            },
        ]
        // The first round starts the browsers and fills their caches; it isn't counted.
        for round in 0...rounds {
            if round == 1 { phases = [:] }
            for index in contestants.indices {
                let milliseconds = try await contestants[index].time()
                note("speed \(round)/\(rounds)", contestants[index].name, "\(milliseconds.digits(0)) ms")
                if round > 0 { contestants[index].series.add(milliseconds) }
            }
        }
        return """
            ### Speed

            One capture of `\(page.path().dropFirst())`, in milliseconds; \(rounds) alternating rounds.

            \(table(contestants))
            \(verdicts(contestants))

            The phases of the first row, medians:

            \(table(phases))
            """
    }

    private func verdicts(_ contestants: [Contestant]) -> String {
        let lines = contestants.flatMap { contestant in
            contestant.goals.map { goal in
                let ratio = contestants[0].series.median / contestant.series.median
                return verdict(ratio, "the time of \(contestant.name)", atMost: goal)
            }
        }
        return lines.joined(separator: "\n")
    }

    private func table(_ contestants: [Contestant]) -> MarkdownTable {
        var table = MarkdownTable(columns: ["", "median", "min", "max", "ratio"])
        for contestant in contestants {
            let series = contestant.series
            table.add([
                contestant.name, series.median.digits(0), series.minimum.digits(0), series.maximum.digits(0),
                (series.median / contestants[0].series.median).digits(2),
            ])
        }
        return table
    }

    private func table(_ phases: [CapturePhases.Phase: Series]) -> MarkdownTable {
        var table = MarkdownTable(columns: ["phase", "ms"])
        for phase in CapturePhases.Phase.allCases {
            guard let series = phases[phase] else { continue }
            table.add([phase.rawValue, series.median.digits(0)])
        }
        return table
    }
}
