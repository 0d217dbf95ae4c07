import Figures
import Foundation

/// Prints the figures of fetching in docs/figures.md as Markdown.
///
///     fetching-figures [ROUNDS [PART]]
///
/// PART is `throughput` or `sharing`: then only that part is measured.
@main
enum FetchingFigures {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let rounds = arguments.first.flatMap { Int($0) } ?? 7
        let part = arguments.count < 2 ? nil : arguments[2]
        print(Machine.description)
        if part == nil || part == "throughput" { try await ThroughputFigures.print(rounds: rounds) }
        if part == nil || part == "sharing" { try await SharingFigures.print(rounds: rounds) }
    }
}

/// The duration of `body`.
func time(_ body: () async throws -> Void) async rethrows -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    return start.duration(to: clock.now)
}
