import ArgumentParser
import CoffeeTrackerModel
import EmojiArtModel
import Foundation
import OfflineLibraryModel
import Persistence

/// The options for an owner's storage budget; the other limits are constants next to the items that they limit.
struct BudgetOptions: ParsableArguments {
    @Option(help: "The most that an owner's files may take, such as 10GB. (default: 20GB)")
    var ownerDisk: String?

    @OptionGroup var floor: FreeDiskOption

    @Option(help: "The most pages in an owner's library. (default: 10000)")
    var maxPages: Int?

    @Option(help: "The most boards of an owner. (default: 1000)")
    var maxBoards: Int?

    @Option(help: "The most drinks of an owner. (default: 100000)")
    var maxDrinks: Int?
}

/// The option for the disk space that stays free.
struct FreeDiskOption: ParsableArguments {
    @Option(help: "The disk space that stays free, such as 1GB. (default: 512 MiB, or 2 % of the disk if that is less)")
    var freeDisk: String?

    /// Returns the floor given by the option or the environment.
    func freeDisk(environment: [String: String]) throws -> FreeDiskFloor {
        guard let freeDisk else { return try FreeDiskFloor(environment: environment) }
        return .bytes(try ByteCount.parse(freeDisk, of: "--free-disk"))
    }
}

extension FreeDiskFloor {
    /// Creates the floor given by the environment.
    fileprivate init(environment: [String: String]) throws {
        self = .automatic
        if let text = environment["MEANWHILE_FREE_DISK"] {
            self = .bytes(try ByteCount.parse(text, of: "MEANWHILE_FREE_DISK"))
        }
    }

    /// The options that pass this floor to a worker.
    var arguments: [String] {
        switch self {
        case .automatic: []
        case .bytes(let bytes): ["--free-disk", "\(bytes)"]
        }
    }
}

extension BudgetOptions {
    /// Returns the budget given by the options and the environment.
    func budget(environment: [String: String]) throws -> OwnerBudget {
        var budget = try OwnerBudget(environment: environment)
        if let ownerDisk { budget.bytes = try ByteCount.parse(ownerDisk, of: "--owner-disk") }
        budget.freeDisk = try floor.freeDisk(environment: environment)
        for (count, option, item) in [
            (maxPages, "--max-pages", OwnerBudget.Item.pages), (maxBoards, "--max-boards", .boards),
            (maxDrinks, "--max-drinks", .drinks),
        ] {
            guard let count else { continue }
            guard count >= 0 else { throw ValidationError("\(option) takes a number from 0 on.") }
            budget[item] = count
        }
        return budget
    }
}

extension OwnerBudget {
    /// Creates the budget given by the environment, which commands enforce as the server does.
    init(environment: [String: String]) throws {
        self.init()
        if let text = environment["MEANWHILE_OWNER_DISK"] {
            bytes = try ByteCount.parse(text, of: "MEANWHILE_OWNER_DISK")
        }
        freeDisk = try FreeDiskFloor(environment: environment)
        for (name, item) in [
            ("MEANWHILE_MAX_PAGES", Item.pages), ("MEANWHILE_MAX_BOARDS", .boards), ("MEANWHILE_MAX_DRINKS", .drinks),
        ] {
            guard let text = environment[name] else { continue }
            guard let count = Int(text), count >= 0 else {
                throw ValidationError("\(name) is \(text); it takes a number from 0 on.")
            }
            self[item] = count
        }
    }
}

/// Parses sizes as users type them.
enum ByteCount {
    private static let units: [(name: String, bytes: Int64)] = [
        ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
        ("KIB", 1 << 10), ("MIB", 1 << 20), ("GIB", 1 << 30), ("TIB", 1 << 40), ("B", 1),
    ]

    /// Parses a size such as `10GB`, `512 MiB` or `1000000`.
    static func parse(_ text: String, of name: String) throws -> Int64 {
        let upper = text.uppercased()
        let unit = units.first { upper.hasSuffix($0.name) }
        let digits = upper.dropLast(unit?.name.count ?? 0).trimmingCharacters(in: .whitespaces)
        let (bytes, overflows) = (Int64(digits) ?? -1).multipliedReportingOverflow(by: unit?.bytes ?? 1)
        guard bytes >= 0, !overflows else {
            throw ValidationError("\(name) takes a size such as 10GB or 512MiB; \(text) is none.")
        }
        return bytes
    }
}
