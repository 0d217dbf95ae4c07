import ArgumentParser
import CoffeeTrackerModel
import CoffeeTrackerWeb
import Foundation
import HealthSamples
import Persistence

/// `meanwhile coffee`: logs drinks and estimates caffeine levels, also while the server runs.
struct CoffeeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coffee",
        abstract: "Logs drinks and estimates your caffeine level.",
        discussion: """
            The server can be running: open pages show changes at once.

              meanwhile coffee add espresso
              meanwhile coffee add latte --size large
              meanwhile coffee add "green tea" --at 08:30 --sip 20
              meanwhile coffee now
              meanwhile coffee list --days 7
              meanwhile coffee delete 4B1F6A02

            The levels are estimates, not medical advice.

            Exit codes: 0 success, 1 failure, 64 wrong usage.
            """,
        subcommands: [
            CoffeeAddCommand.self, CoffeeNowCommand.self, CoffeeListCommand.self, CoffeeEditCommand.self,
            CoffeeDeleteCommand.self, CoffeeDrinksCommand.self, CoffeeAccessCommand.self, CoffeeGrantCommand.self,
            CoffeeRevokeCommand.self,
        ])
}

/// The options of all coffee commands.
struct CoffeeOptions: ParsableArguments {
    @OptionGroup var folderOptions: DataFolderOptions

    /// Opens the data folder, runs an operation, and reports its outcome.
    ///
    /// - Throws: `ExitCode` if the operation failed, after reporting the error.
    func run(_ body: @MainActor (CoffeeParts) async throws -> CoffeeReport) async throws {
        try await folderOptions.run { database in
            let parts = try await CoffeeParts(owner: .local, in: database)
            try await parts.data.open()
            let outcome: Result<CoffeeReport, any Error>
            do {
                outcome = .success(try await body(parts))
            } catch {
                outcome = .failure(error)
            }
            await parts.data.close()
            return try outcome.get()
        } failure: { error in
            switch error {
            case let error as CoffeeError: CommandFailure(code: error.code, message: error.description)
            case let error as SampleStoreError: CommandFailure(code: "\(error.code)", message: error.message)
            default: nil
            }
        }
    }
}

// MARK: - Logging

/// A drink's size, as an argument.
enum SizeName: String, ExpressibleByArgument, CaseIterable {
    case small, medium, large

    var size: DrinkSize {
        switch self {
        case .small: .small
        case .medium: .medium
        case .large: .large
        }
    }
}

/// `meanwhile coffee add`: logs a drink.
struct CoffeeAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Logs a drink.",
        discussion: "Give a name listed by `meanwhile coffee drinks`, or the beginning of just one of them.")

    @Argument(help: "The drink: espresso, \"green tea\", or one of your own.")
    var drink: String

    @Option(
        help: """
            When you started it: 08:30, "8:30 pm", "2026-03-14 08:30", or with an offset 2026-03-14T08:30:00+01:00.
            """)
    var at: String?

    @Option(help: "How many minutes you took to finish it.")
    var sip: Double = 0

    @Option(help: "Its size, if the drink comes in several.")
    var size: SizeName = .medium

    @Option(help: "Its caffeine in milligrams, instead of the usual amount.")
    var mg: Double?

    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        try await options.run { parts in
            let data = parts.data
            var kind = try DrinkCatalogue.kind(drink, in: data.kinds)
            guard kind.hasSizes || size == .medium else {
                throw CommandFailure(
                    code: "oneSize", message: "\(kind.name) comes in one size. Give another amount with --mg.")
            }
            kind = kind.sized(size.size)
            if let mg { kind.milligrams = mg }
            let start = try at.map { text throws(CoffeeError) in try data.moment(text) }
            let added = try await data.add(kind, at: start, sipping: sip * 60)
            // Write to the health store now, as the next refresh may be far off. If this fails, that refresh tries
            // again.
            try? await data.refresh()
            return CoffeeReport(.added, data, drinks: [added])
        }
    }
}

/// `meanwhile coffee edit`: changes a drink.
struct CoffeeEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "edit", abstract: "Changes a drink.")

    @Argument(help: "The drink's ID as shown by `list`, or its beginning.")
    var id: String

    @Option(help: "Its new name.")
    var name: String?

    @Option(help: "Its new amount of caffeine in milligrams.")
    var mg: Double?

    @Option(help: "When you started it, in a form that `add` accepts.")
    var at: String?

    @Option(help: "How many minutes you took to finish it.")
    var sip: Double?

    @OptionGroup var options: CoffeeOptions

    func validate() throws {
        if name == nil, mg == nil, at == nil, sip == nil {
            throw ValidationError("Say what to change: --name, --mg, --at or --sip.")
        }
    }

    func run() async throws {
        try await options.run { parts in
            let data = parts.data
            let seen = try await data.drink(beginning: id)
            var drink = seen
            if let name { drink.name = name }
            if let mg { drink.milligrams = mg }
            if let at { drink.start = try data.moment(at) }
            if let sip { drink.sipping = sip * 60 }
            let edited = try await data.edit(drink, over: seen)
            try? await data.refresh()
            return CoffeeReport(.edited, data, drinks: [edited])
        }
    }
}

/// `meanwhile coffee delete`: deletes a drink.
struct CoffeeDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Deletes a drink.")

    @Argument(help: "The drink's ID as shown by `list`, or its beginning.")
    var id: String

    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        try await options.run { parts in
            let drink = try await parts.data.drink(beginning: id)
            try await parts.data.delete(drink)
            try? await parts.data.refresh()
            return CoffeeReport(.deleted, parts.data, drinks: [drink])
        }
    }
}

// MARK: - Queries

/// `meanwhile coffee now`: shows the current caffeine level.
struct CoffeeNowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "now", abstract: "Shows your caffeine level and when you can sleep.")

    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        try await options.run { parts in CoffeeReport(.now, parts.data) }
    }
}

/// `meanwhile coffee list`: lists the logged drinks.
struct CoffeeListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists your drinks, newest first.")

    @Option(help: "How many days to list, including today.")
    var days: Int = 1

    @OptionGroup var options: CoffeeOptions

    func validate() throws {
        guard (1...36_500).contains(days) else {
            throw ValidationError("--days takes a whole number from 1 to 36500.")
        }
    }

    func run() async throws {
        try await options.run { parts in
            let data = parts.data
            let counting = data.settings.days
            let start = counting.beginning(of: counting.day(of: data.now) + (1 - days))
            return CoffeeReport(.listed, data, drinks: try await data.drinks(from: start, to: .distantFuture))
        }
    }
}

/// `meanwhile coffee drinks`: lists the known kinds of drinks.
struct CoffeeDrinksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drinks", abstract: "Lists the drinks that you can add by name.")

    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        try await options.run { parts in CoffeeReport(kinds: parts.data.kinds) }
    }
}

extension CoffeeData {
    /// The moment given by a text, on the owner's clock.
    fileprivate func moment(_ text: String) throws(CoffeeError) -> Date {
        try TypedTime.moment(text, now: now, in: settings.timeZone, clockFormat: settings.clockFormat)
    }

    /// Finds the drink whose identifier begins with a text.
    ///
    /// - Throws: ``CommandFailure`` if several drinks match; ``CoffeeError``, for example if none does.
    func drink(beginning text: String) async throws -> Drink {
        guard !text.isEmpty else { throw CoffeeError.notFound }
        let found = try await drinks(withIDPrefix: text)
        guard let drink = found.first else { throw CoffeeError.notFound }
        guard found.count == 1 else {
            throw CommandFailure(
                code: "ambiguous",
                message: "\(found.count) drinks have IDs that begin with \(text). Enter more of the ID.")
        }
        return drink
    }
}
