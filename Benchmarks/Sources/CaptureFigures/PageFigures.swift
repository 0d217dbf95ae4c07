import Capture
import Figures
import Foundation

/// Compares captures of pages of different kinds with Playwright's: their durations, and their pictures.
struct PageFigures {
    /// A page with what is measured of it.
    private struct Row {
        var url: URL
        var size = (width: 0, height: 0)
        var difference: PictureComparison?
        var allFormats = Series()
        var png = Series()
        var peer = Series()

        var allFormatsRatio: Double { allFormats.median / peer.median }
        var pngRatio: Double { png.median / peer.median }
    }

    var pages: [URL]
    var rounds: Int
    var chromium: String
    var python: String
    /// The folder of the Python scripts.
    var scripts: String

    /// Measures, and returns the report.
    func report() async throws -> String {
        let peerScript = "\(scripts)/playwright_peer.py"
        return try await withPageCapturer(.forThisMachine) { capturer in
            try await PlaywrightPeer.running(python: python, script: peerScript, chromium: chromium) { peer in
                try await report(capturer, peer)
            }
        }
    }

    private func report(_ capturer: PageCapturer, _ peer: PlaywrightPeer) async throws -> String {
        var rows = pages.map { Row(url: $0) }
        // Also starts the browsers and fills their caches.
        for index in rows.indices { try await compare(&rows[index], capturer, peer) }
        for round in 1...rounds {
            for index in rows.indices {
                let url = rows[index].url
                let allFormats = try await capturer.time([.png, .pdf, .webArchive], of: url).milliseconds
                let png = try await capturer.time([.png], of: url).milliseconds
                let peer = try await peer.time(.png, of: url)
                rows[index].allFormats.add(allFormats)
                rows[index].png.add(png)
                rows[index].peer.add(peer)
                let values = [allFormats, png, peer].map { $0.digits(0) }.joined(separator: ", ")
                note("pages \(round)/\(rounds)", url.path(), "\(values) ms")
            }
        }
        let name = "the time of Playwright's full-page PNG"
        return """
            ### Pages of different kinds

            Milliseconds, medians of \(rounds) alternating rounds. Playwright is version \(peer.version), and makes a
            full-page PNG; the ratios are to it. The last columns compare the pixels of both pictures.

            \(table(rows))
            All formats:

            \(verdict(rows[0].allFormatsRatio, "\(name) of the first page", atMost: 0.5))
            \(verdict(geometricMean(rows.map(\.allFormatsRatio)), "\(name), geometric mean of all pages", atMost: 0.5))

            PNG alone:

            \(verdict(rows[0].pngRatio, "\(name) of the first page", atMost: 0.4))
            \(verdict(geometricMean(rows.map(\.pngRatio)), "\(name), geometric mean of all pages", atMost: 0.4))
            """
    }

    private func compare(_ row: inout Row, _ capturer: PageCapturer, _ peer: PlaywrightPeer) async throws {
        let capture = try await capturer.time([.png], of: row.url).capture
        let file = FileManager.default.temporaryDirectory.appending(path: "capture-figures-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try capture.data[.png]?.write(to: file)
        let difference = try await PictureComparison(
            file.path, peer.picture(of: row.url), python: python,
            script: "\(scripts)/../Tests/Checks/compare_pictures.py")
        note("pages", row.url.path(), "differs by \(difference.percent) \(difference.rectangle)")
        row.size = capture.contentSize
        row.difference = difference
    }

    private func table(_ rows: [Row]) -> MarkdownTable {
        var table = MarkdownTable(columns: [
            "page", "pixels", "all formats", "PNG", "Playwright", "all formats, ratio", "PNG, ratio", "differ",
            "within",
        ])
        for row in rows {
            table.add([
                "`\(row.url.path().dropFirst())`", "\(row.size.width) × \(row.size.height)",
                row.allFormats.median.digits(0), row.png.median.digits(0), row.peer.median.digits(0),
                row.allFormatsRatio.digits(2), row.pngRatio.digits(2), row.difference?.percent ?? "",
                row.difference?.rectangle ?? "",
            ])
        }
        return table
    }

    private func geometricMean(_ values: [Double]) -> Double {
        exp(values.map { log($0) }.reduce(0, +) / Double(values.count))
    }
}
