import Accounts
import ArgumentParser
import CoffeeTrackerModel
import HealthSamples

// Manages which programs may write and read the health store.

/// A kind of access, as an argument.
enum AccessName: String, ExpressibleByArgument, CaseIterable {
    case write, read

    var access: SampleAccess { self == .write ? .share : .read }
}

/// The arguments that identify a permission.
struct AccessArguments: ParsableArguments {
    @Argument(help: CoffeeCommandWords.accessKind)
    var access: AccessName

    @Option(help: CoffeeCommandWords.source)
    var source: String = SampleSource.coffeeTracker.identifier

    @Option(help: CoffeeCommandWords.type)
    var type: String = SampleType.dietaryCaffeine.rawValue
}

/// `meanwhile coffee access`: lists the permissions.
struct CoffeeAccessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access", abstract: CoffeeCommandWords.access)

    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        try await options.refuseRemote()
        try await options.run { parts in try await parts.accessReport() }
    }
}

/// `meanwhile coffee grant`: grants a permission.
struct CoffeeGrantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: CoffeeCommandWords.grant)

    @OptionGroup var arguments: AccessArguments
    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        try await options.refuseRemote()
        try await options.run { parts in
            let (source, type) = try await parts.find(arguments)
            try await parts.samples.grant(arguments.access.access, to: [type], source: source)
            await AuditLog.recordCommand(.accessGranted, of: parts.owner, source.name, in: parts.storage)
            // With the permission, the drinks that waited for it can be sent to the health store.
            try? await parts.data.refresh()
            return try await parts.accessReport()
        }
    }
}

/// `meanwhile coffee revoke`: denies or revokes a permission.
struct CoffeeRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: CoffeeCommandWords.revoke)

    @OptionGroup var arguments: AccessArguments
    @OptionGroup var options: CoffeeOptions

    func run() async throws {
        try await options.refuseRemote()
        try await options.run { parts in
            let (source, type) = try await parts.find(arguments)
            try await parts.samples.revoke(arguments.access.access, to: [type], source: source)
            await AuditLog.recordCommand(.accessRevoked, of: parts.owner, source.name, in: parts.storage)
            return try await parts.accessReport()
        }
    }
}

extension CoffeeParts {
    /// Returns a report of all permissions.
    fileprivate func accessReport() async throws -> CoffeeReport {
        CoffeeReport(
            access: try await samples.authorizations().map {
                CoffeeReport.AccessEntry(
                    source: $0.source.identifier, sourceName: $0.source.name, type: $0.type.rawValue,
                    write: $0.share?.rawValue, read: $0.read?.rawValue)
            })
    }

    /// Finds the program and the data type of the arguments: a program that has asked for access, or Coffee Tracker
    /// itself.
    fileprivate func find(_ arguments: AccessArguments) async throws -> (SampleSource, SampleType) {
        let known = try await samples.authorizations()
        if let entry = known.first(where: {
            $0.source.identifier == arguments.source && $0.type.rawValue == arguments.type
        }) {
            return (entry.source, entry.type)
        }
        let own = (SampleSource.coffeeTracker, SampleType.dietaryCaffeine)
        guard arguments.source == own.0.identifier, arguments.type == own.1.rawValue else {
            let sources = known.map { CoffeeCommandWords.permission(of: $0.source.identifier, to: $0.type.rawValue) }
            throw CommandFailure(
                code: "unknownAccess",
                message: CoffeeCommandWords.unknownAccess(
                    of: arguments.source, to: arguments.type, known: sources))
        }
        return own
    }
}
