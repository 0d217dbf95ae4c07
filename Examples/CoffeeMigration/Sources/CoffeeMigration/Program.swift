import Foundation

@testable import AppDriver

/// `CoffeeMigration [--step N | --all | --list]`: runs the app of one step, or of all.
@main @MainActor
enum Program {
    static func main() async throws {
        switch Request(Array(CommandLine.arguments.dropFirst())) {
        case .list:
            for step in Step.all { print(StepDemonstration.title(of: step)) }
        case .steps(let steps):
            for step in steps { try await StepDemonstration(step).run() }
        case .wrong(let message):
            FileHandle.standardError.write(Data((message + "\n").utf8))
            exit(EX_USAGE)
        }
    }
}

/// The parsed arguments.
enum Request {
    case list
    case steps([Step])
    case wrong(String)

    static let usage = "Usage: CoffeeMigration [--step N | --all | --list]"

    init(_ arguments: [String]) {
        switch arguments {
        case [], ["--all"]: self = .steps(Step.all)
        case ["--list"]: self = .list
        case ["--step"]: self = .wrong("--step needs a number from 0 to \(Step.all.count - 1). \(Self.usage)")
        case let pair where pair.count == 2 && pair[0] == "--step":
            if let number = Int(pair[1]), Step.all.indices.contains(number) {
                self = .steps([Step.all[number]])
            } else {
                self = .wrong(
                    "There is no step “\(pair[1])”. Choose a number from 0 to \(Step.all.count - 1). \(Self.usage)")
            }
        default: self = .wrong("Unknown arguments: \(arguments.joined(separator: " ")). \(Self.usage)")
        }
    }
}
