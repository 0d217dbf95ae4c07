import CoffeeTrackerModel
import Figures
import Foundation

/// Prints the figures of Coffee Tracker in docs/figures.md as Markdown.
///
///     coffee-figures [ROUNDS]
@main
enum CoffeeFigures {
    private static let now = Date(timeIntervalSince1970: 1_773_496_800)
    private static let repetitions = 20

    static func main() {
        print(Machine.description)
        printTable(rounds: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 7)
    }

    private static func printTable(rounds: Int) {
        var table = MarkdownTable(columns: ["processor time, ms", "4 drinks a day", "20 drinks a day"])
        let drinks = [4, 20].map { count in
            // All drinks that can still have an effect: see `CoffeeSettings.contributionTime`.
            (0..<count * 5).map { drink($0, every: 24 * 3600 / Double(count)) }
        }
        var settings = CoffeeSettings(zone: "America/New_York")
        func add(_ name: String, _ body: ([Drink]) -> Int) {
            table.add([name] + drinks.map { drinks in median(rounds) { body(drinks) }.digits(3) })
        }
        add("a day's timeline, with band and shares") { drinks in
            Timeline(drinks: drinks, settings: settings, from: now).entries.count
        }
        add("the answers") { drinks in
            CaffeineAnswers(drinks: drinks, settings: settings, at: now).isBelowThreshold ? 1 : 0
        }
        add("the latest time for a kind") { drinks in
            let answers = CaffeineAnswers(drinks: drinks, settings: settings, at: now)
            return answers.latestTime(for: DrinkCatalogue.sourced[0].milligrams) == .never ? 1 : 0
        }
        settings.usesSimpleDecay = true
        add("a day's timeline, the sample application's decay") { drinks in
            Timeline(drinks: drinks, settings: settings, from: now).entries.count
        }
        print(table)
        print("Medians of \(rounds) rounds of \(repetitions); five days of drinks, 289 entries, three half-lives.\n")
    }

    private static func drink(_ number: Int, every seconds: TimeInterval) -> Drink {
        DrinkCatalogue.sourced[number % DrinkCatalogue.sourced.count].drink(
            id: UUID(), at: now.addingTimeInterval(-seconds * (Double(number) + 0.3)),
            sipping: number % 3 == 0 ? 1200 : 0, timeZone: "America/New_York")
    }

    /// The thread's processor time for one call, in milliseconds, which is independent of other load on the machine.
    private static func median(_ rounds: Int, _ body: () -> Int) -> Double {
        var series = Series()
        var sum = 0
        for _ in 0..<rounds {
            let start = processorTime
            for _ in 0..<repetitions { sum &+= body() }
            series.add((processorTime - start) / Double(repetitions))
        }
        // Uses the result, so that the compiler doesn't remove the calls.
        if sum == .min { print(sum) }
        return series.median
    }

    /// The thread's processor time, in milliseconds.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
