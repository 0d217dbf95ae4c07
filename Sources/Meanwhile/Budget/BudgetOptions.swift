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
        try FreeDiskFloor(freeDisk, environment: environment)
    }
}

extension FreeDiskFloor {
    /// Creates the floor given by the option or the environment.
    fileprivate init(_ option: String?, environment: [String: String]) throws {
        self = try ByteCount.value(of: "--free-disk", option, environment).map { .bytes($0) } ?? .automatic
    }

    /// The options that pass this floor to a worker.
    var arguments: [String] {
        switch self {
        case .automatic: []
        case .bytes(let bytes): ["--free-disk", "\(bytes)"]
        }
    }
}

extension OwnerBudget {
    /// Creates the budget given by the options and the environment; commands enforce it as the server does.
    init(_ options: BudgetOptions? = nil, environment: [String: String]) throws {
        self.init()
        bytes = try ByteCount.value(of: "--owner-disk", options?.ownerDisk, environment) ?? bytes
        freeDisk = try FreeDiskFloor(options?.floor.freeDisk, environment: environment)
        for (option, count, item) in [
            ("--max-pages", options?.maxPages, Item.pages), ("--max-boards", options?.maxBoards, .boards),
            ("--max-drinks", options?.maxDrinks, .drinks),
        ] {
            let limit = try environment.value(of: option, count, takes: "a number from 0 on") { text in
                Int(text).flatMap { $0 < 0 ? nil : $0 }
            }
            if let limit { self[item] = limit }
        }
    }
}

/// Parses sizes as users type them.
enum ByteCount {
    private static let units: [(name: String, bytes: Int64)] = [
        ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
        ("KIB", 1 << 10), ("MIB", 1 << 20), ("GIB", 1 << 30), ("TIB", 1 << 40), ("B", 1),
    ]

    /// Parses the size given by an option or its environment variable; `nil` if neither is set.
    static func value(of option: String, _ given: String?, _ environment: [String: String]) throws -> Int64? {
        try environment.value(of: option, given, takes: "a size such as 10GB or 512MiB", parse: bytes)
    }

    /// Parses a size such as `10GB`, `512 MiB` or `1000000`.
    private static func bytes(of text: String) -> Int64? {
        let upper = text.uppercased()
        let unit = units.first { upper.hasSuffix($0.name) }
        let digits = upper.dropLast(unit?.name.count ?? 0).trimmingCharacters(in: .whitespaces)
        let (bytes, overflows) = (Int64(digits) ?? -1).multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return bytes < 0 || overflows ? nil : bytes
    }
}
