import Figures
import Subprocess
import SystemPackage

/// How much two pictures of one page differ; see `compare_pictures.py`.
struct PictureComparison {
    /// The share of the pixels that differ, from 0 to 1.
    var share: Double
    /// The edges of the smallest rectangle around the pixels that differ: left, top, right and bottom.
    var edges: [Int]

    /// Compares two files with a Python interpreter that has Pillow.
    init(_ file: String, _ other: String, python: String, script: String) async throws {
        // The interpreter is a name or a path; env takes either.
        let result = try await run(
            .name("env"), arguments: [python, script, file, other], output: .string(limit: 1000),
            error: .currentStandardError)
        let words = result.standardOutput.split(whereSeparator: \.isWhitespace)
        guard words.count == 5, let share = Double(words[0]) else {
            throw MeasurementError("The pictures can't be compared; the reason is above.")
        }
        self.share = share
        self.edges = words.dropFirst().compactMap { Int($0) }
    }

    /// The share in percent, with enough digits to tell one pixel of a page from none.
    var percent: String { share == 0 ? "0" : "\((share * 100).digits(share < 0.0001 ? 5 : 2)) %" }

    /// The rectangle, from its upper left to its lower right corner.
    var rectangle: String { share == 0 ? "" : "\(edges[0]), \(edges[1]) – \(edges[2]), \(edges[3])" }
}
