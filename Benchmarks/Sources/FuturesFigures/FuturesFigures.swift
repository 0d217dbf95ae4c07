import Figures
import Foundation

/// Prints the README's figures of futures as Markdown.
///
///     futures-figures [ROUNDS]
@main
enum FuturesFigures {
    static func main() async throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 15
        print(Machine.description)
        let columns = ["an operation"] + Library.allCases.flatMap { ["\($0.rawValue), ns", "allocations"] } + ["ratio"]
        var table = MarkdownTable(columns: columns)
        for row in Row.all {
            FileHandle.standardError.write(Data("\(row.name)\n".utf8))
            let outcome = try await row.measure(rounds: rounds)
            var cells = [row.name]
            for library in Library.allCases {
                let time = outcome.time[library]?.median
                cells.append(time.map { $0.digits(0) } ?? "")
                cells.append(outcome.allocations[library].map { $0.digits($0 < 10 ? 1 : 0) } ?? "")
            }
            let peers = Library.allCases.filter { $0 != .meanwhile }.compactMap { outcome.time[$0]?.median }
            let own = outcome.time[.meanwhile]?.median ?? .nan
            cells.append(peers.min().map { (own / $0).digits(2) } ?? "")
            table.add(cells)
        }
        print(table)
        print("Medians of \(rounds) rounds in turn. The ratio is that of Futures to the fastest of the others.")
    }
}
