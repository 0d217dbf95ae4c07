import ArgumentParser
import CoffeeTrackerModel
import CoffeeTrackerWeb
import Foundation
import HealthSamples
import Persistence

/// `meanwhile coffee`: logs drinks and estimates caffeine levels; works even while the server runs.
struct CoffeeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coffee",
        abstract: CoffeeCommandWords.abstract, discussion: CoffeeCommandWords.discussion,
        subcommands: [
            CoffeeAddCommand.self, CoffeeNowCommand.self, CoffeeListCommand.self, CoffeeEditCommand.self,
            CoffeeDeleteCommand.self, CoffeeDrinksCommand.self, CoffeeAccessCommand.self, CoffeeGrantCommand.self,
            CoffeeRevokeCommand.self,
        ])
}

/// The options of all coffee commands.
struct CoffeeOptions: ParsableArguments {
    @OptionGroup var folderOptions: DataFolderOptions
    @OptionGroup var remote: RemoteOptions

    /// Opens the data folder, runs an operation, and reports its outcome.
    ///
    /// - Throws: `ExitCode` if the operation failed, after reporting the error.
    func run(_ body: @MainActor (CoffeeParts) async throws -> CoffeeReport) async throws {
        try await folderOptions.run { storage in
            let parts = try await CoffeeParts(
                owner: try await folderOptions.owner(in: storage), in: storage)
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
        commandName: "add", abstract: CoffeeCommandWords.add, discussion: CoffeeCommandWords.addDiscussion)

    @Argument(help: CoffeeCommandWords.drink)
    var drink: String

    @Option(help: CoffeeCommandWords.at)
    var at: String?

    @Option(help: CoffeeCommandWords.sip)
    var sip: Double = 0

    @Option(help: CoffeeCommandWords.size)
    var size: SizeName = .medium

    @Option(help: CoffeeCommandWords.milligrams)
    var mg: Double?

    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        let isDone = try await options.runRemotely { server in
            let kind = try DrinkCatalogue.kind(drink, in: try await server.kinds())
            guard kind.hasSizes || size == .medium else {
                throw CommandFailure(code: "oneSize", message: CoffeeCommandWords.oneSize(kind.name))
            }
            let level = try await server.level()
            let added = try await server.add(
                RemoteDrinkChange(
                    kind: kind.id, size: size.rawValue, milligrams: mg,
                    start: try at.map { text throws(CoffeeError) in try level.moment(text) }, sippingSeconds: sip * 60))
            return CoffeeReport(.added, try await server.level(), drinks: [added])
        }
        if isDone { return }
        try await options.run { parts in
            let data = parts.data
            var kind = try DrinkCatalogue.kind(drink, in: data.kinds)
            guard kind.hasSizes || size == .medium else {
                throw CommandFailure(code: "oneSize", message: CoffeeCommandWords.oneSize(kind.name))
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
    static let configuration = CommandConfiguration(commandName: "edit", abstract: CoffeeCommandWords.edit)

    @Argument(help: CoffeeCommandWords.id)
    var id: String

    @Option(help: CoffeeCommandWords.newName)
    var name: String?

    @Option(help: CoffeeCommandWords.newMilligrams)
    var mg: Double?

    @Option(help: CoffeeCommandWords.newStart)
    var at: String?

    @Option(help: CoffeeCommandWords.sip)
    var sip: Double?

    @OptionGroup var options: CoffeeOptions

    func validate() throws {
        if name == nil, mg == nil, at == nil, sip == nil {
            throw ValidationError(CoffeeCommandWords.nothingToChange)
        }
    }

    func run() async throws {
        let isDone = try await options.runRemotely { server in
            let seen = try await server.drink(beginning: id)
            let level = try await server.level()
            let change = RemoteDrinkChange(
                name: name, milligrams: mg, start: try at.map { text throws(CoffeeError) in try level.moment(text) },
                sippingSeconds: sip.map { $0 * 60 })
            let edited = try await server.change(seen, change)
            return CoffeeReport(.edited, try await server.level(), drinks: [edited])
        }
        if isDone { return }
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
    static let configuration = CommandConfiguration(commandName: "delete", abstract: CoffeeCommandWords.delete)

    @Argument(help: CoffeeCommandWords.id)
    var id: String

    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        let isDone = try await options.runRemotely { server in
            let drink = try await server.drink(beginning: id)
            try await server.delete(drink)
            return CoffeeReport(.deleted, try await server.level(), drinks: [drink])
        }
        if isDone { return }
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
        commandName: "now", abstract: CoffeeCommandWords.now)

    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        if try await options.runRemotely({ CoffeeReport(.now, try await $0.level()) }) { return }
        try await options.run { parts in CoffeeReport(.now, parts.data) }
    }
}

/// `meanwhile coffee list`: lists the logged drinks.
struct CoffeeListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: CoffeeCommandWords.list)

    @Option(help: CoffeeCommandWords.days)
    var days: Int = 1

    @OptionGroup var options: CoffeeOptions

    func validate() throws {
        guard (1...36_500).contains(days) else {
            throw ValidationError(CoffeeCommandWords.wrongDays)
        }
    }

    func run() async throws {
        let isDone = try await options.runRemotely { server in
            let level = try await server.level()
            let counting = level.settings.days
            let start = counting.beginning(of: counting.day(of: level.date) + (1 - days))
            return CoffeeReport(.listed, level, drinks: try await server.drinks(from: start))
        }
        if isDone { return }
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
        commandName: "drinks", abstract: CoffeeCommandWords.kinds)

    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        if try await options.runRemotely({ CoffeeReport(kinds: try await $0.kinds()) }) { return }
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
                message: CoffeeCommandWords.severalDrinks(found.count, beginning: text))
        }
        return drink
    }
}
