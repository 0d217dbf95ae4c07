import Figures
import Foundation
import Subprocess
import SystemPackage

/// Compares captures per minute with those of an earlier build.
///
/// In each round, both builds of `capture-figures` run their own part `throughput` once.
struct ThroughputComparison {
    /// The earlier build's program.
    var base: String
    /// The arguments of both programs, without the part and the rounds.
    var arguments: [String]
    var rounds: Int

    /// Measures, and returns the report.
    func report() async throws -> String {
        guard let own = Bundle.main.executablePath else {
            throw MeasurementError("The path of this program is unknown.")
        }
        var rows: [(name: String, isGoal: Bool, base: Series, own: Series)] = []
        for round in 1...rounds {
            // The first of a round changes, so that neither is always the second.
            let isBaseFirst = round.isMultiple(of: 2)
            let first = try await rates(isBaseFirst ? base : own)
            let second = try await rates(isBaseFirst ? own : base)
            let (baseRates, ownRates) = isBaseFirst ? (first, second) : (second, first)
            guard baseRates.map(\.name) == ownRates.map(\.name) else {
                throw MeasurementError("The tables of both builds have different rows or columns.")
            }
            if rows.isEmpty { rows = ownRates.map { ($0.name, $0.name.hasSuffix(" 4 at once"), Series(), Series()) } }
            for index in rows.indices {
                rows[index].base.add(baseRates[index].rate)
                rows[index].own.add(ownRates[index].rate)
                note(
                    "throughput \(round)/\(rounds)", rows[index].name,
                    "\(baseRates[index].rate), \(ownRates[index].rate)")
            }
        }
        let versions = (base: await version(of: base), own: await version(of: own))
        var table = MarkdownTable(columns: ["", "before (\(versions.base))", "now (\(versions.own))", "ratio"])
        var verdicts: [String] = []
        for row in rows {
            let ratio = row.own.median / row.base.median
            table.add([row.name, row.base.median.digits(1), row.own.median.digits(1), ratio.digits(2)])
            if row.isGoal { verdicts.append(verdict(ratio, "the rate before: \(row.name)", atLeast: 1.7)) }
        }
        return """
            ### Captures a minute, before and now

            All three formats; medians of \(rounds) alternating rounds of both builds.

            \(table)
            \(verdicts.joined(separator: "\n"))
            """
    }

    /// The captures per minute of one run, by page and number of concurrent captures.
    private func rates(_ program: String) async throws -> [(name: String, rate: Double)] {
        let result = try await run(
            .path(FilePath(program)), arguments: Arguments(["--only", "throughput", "--rounds", "1"] + arguments),
            output: .string(limit: 100_000), error: .currentStandardError)
        // | page            | 1 at once | …
        // |-----------------|----------:| …
        // | `short.html`    |        70 | …
        let table = result.standardOutput.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        guard result.terminationStatus.isSuccess, table.count > 2 else {
            throw MeasurementError("\(program) printed no figures; the reason is above.")
        }
        return table.dropFirst(2).flatMap { row in
            zip(table[0], row).dropFirst().map { ("\(row[0]), \($0)", Double($1) ?? .nan) }
        }
    }

    /// The commit of the checkout that contains a program, or the program's path.
    private func version(of program: String) async -> String {
        let folder = FilePath(program).removingLastComponent().string
        let result = try? await run(
            .name("git"), arguments: ["-C", folder, "describe", "--always", "--dirty"], output: .string(limit: 1000))
        let version = result?.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return version.isEmpty ? program : version
    }
}
