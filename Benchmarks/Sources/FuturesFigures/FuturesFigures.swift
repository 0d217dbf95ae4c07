import Figures
import Foundation

/// Prints the figures of futures in docs/figures.md as Markdown.
///
///     futures-figures [ROUNDS [ROW [LIBRARY]]]
///
/// ROW is a part of a row's name, and selects the rows to measure; LIBRARY is a part of a library's name, and selects
/// one for profiling.
@main
enum FuturesFigures {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let rounds = arguments.first.flatMap { Int($0) } ?? 15
        var rows = Row.all.filter { arguments.count < 2 || $0.name.contains(arguments[2]) }
        if arguments.count == 3 {
            for index in rows.indices {
                rows[index].contestants.removeAll { !$0.library.rawValue.contains(arguments[3]) }
            }
        }
        print(Machine.description)
        let columns = ["an operation"] + Library.allCases.flatMap { ["\($0.rawValue), ns", "allocations"] } + ["ratio"]
        var table = MarkdownTable(columns: columns)
        for row in rows {
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
        print("Medians of \(rounds) alternating rounds. The ratio is that of Futures to the fastest of the others.")
    }
}
