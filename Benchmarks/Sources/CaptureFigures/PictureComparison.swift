import Figures
import Foundation
import Subprocess
import SystemPackage

/// How much two pictures of one page differ; see `compare_pictures.py`.
struct PictureComparison: Decodable {
    private enum CodingKeys: String, CodingKey {
        case share = "different"
        case edges = "box"
    }

    /// The share of the pixels that differ, from 0 to 1.
    var share: Double
    /// The edges of the smallest rectangle around the pixels that differ: left, top, right and bottom.
    ///
    /// `nil` if none differ.
    var edges: [Int]?

    /// Compares two files with a Python interpreter that has Pillow.
    init(_ file: String, _ other: String, python: String, script: String) async throws {
        // The interpreter is a name or a path; env takes either.
        let result = try await run(
            .name("env"), arguments: [python, script, file, other, "--tolerance", "0", "--extend"],
            output: .string(limit: 1000),
            error: .currentStandardError)
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(result.standardOutput.utf8))
        } catch {
            throw MeasurementError("The pictures can't be compared: \(result.standardOutput)")
        }
    }

    /// The share in percent, with enough digits to tell one pixel of a page from none.
    var percent: String { share == 0 ? "0" : "\((share * 100).digits(share < 0.0001 ? 5 : 2)) %" }

    /// The rectangle, from its upper left to its lower right corner.
    var rectangle: String {
        guard let edges, edges.count == 4 else { return "" }
        return "\(edges[0]), \(edges[1]) – \(edges[2]), \(edges[3])"
    }
}
