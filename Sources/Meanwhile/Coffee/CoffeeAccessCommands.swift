import ArgumentParser
import CoffeeTrackerModel
import HealthSamples

// Who may write and read what in the health store.

/// What is allowed, as a person says it.
enum AccessName: String, ExpressibleByArgument, CaseIterable {
    case write, read

    var access: SampleAccess { self == .write ? .share : .read }
}

/// Whom a grant is about, and what.
struct AccessArguments: ParsableArguments {
    @Argument(help: "write, or read what others have written.")
    var access: AccessName

    @Option(help: "Who, by the name in `access`.")
    var source: String = SampleSource.coffeeTracker.identifier

    @Option(help: "What, by the name in `access`.")
    var type: String = SampleType.dietaryCaffeine.rawValue
}

/// `meanwhile coffee access`: who may do what.
struct CoffeeAccessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access", abstract: "Lists which programs may write and read health data.")

    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        try await options.run { parts in try await parts.accessReport() }
    }
}

/// `meanwhile coffee grant`: allows something.
struct CoffeeGrantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Lets a program write or read health data.")

    @OptionGroup var arguments: AccessArguments
    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        try await options.run { parts in
            let (source, type) = try await parts.find(arguments)
            try await parts.samples.grant(arguments.access.access, to: [type], source: source)
            // What had to wait is told now.
            try? await parts.data.refresh()
            return try await parts.accessReport()
        }
    }
}

/// `meanwhile coffee revoke`: refuses something, or takes it back.
struct CoffeeRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Lets a program no longer write or read health data.")

    @OptionGroup var arguments: AccessArguments
    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        try await options.run { parts in
            let (source, type) = try await parts.find(arguments)
            try await parts.samples.revoke(arguments.access.access, to: [type], source: source)
            return try await parts.accessReport()
        }
    }
}

extension CoffeeParts {
    /// What is allowed now.
    fileprivate func accessReport() async throws -> CoffeeReport {
        CoffeeReport(
            access: try await samples.authorizations().map {
                CoffeeReport.AccessEntry(
                    source: $0.source.identifier, sourceName: $0.source.name, type: $0.type.rawValue,
                    write: $0.share?.rawValue, read: $0.read?.rawValue)
            })
    }

    /// Whom somebody means, and what: one that has asked, or Coffee Tracker itself before it did.
    fileprivate func find(_ arguments: AccessArguments) async throws -> (SampleSource, SampleType) {
        let known = try await samples.authorizations()
        if let entry = known.first(where: {
            $0.source.identifier == arguments.source && $0.type.rawValue == arguments.type
        }) {
            return (entry.source, entry.type)
        }
        let own = (SampleSource.coffeeTracker, SampleType.dietaryCaffeine)
        guard arguments.source == own.0.identifier, arguments.type == own.1.rawValue else {
            let sources = known.map { "\($0.source.identifier) for \($0.type.rawValue)" }.joined(separator: ", ")
            throw CommandFailure(
                code: "unknownAccess",
                message: "\(arguments.source) has not asked for \(arguments.type). There are: "
                    + "\(sources.isEmpty ? "none yet" : sources).")
        }
        return own
    }
}
