/// The most that one owner may store, and the free disk space that everyone leaves.
///
/// A ``DataFolder`` carries it, so every store of the folder's database enforces the same numbers.
public struct OwnerBudget: Hashable, Sendable {
    /// What is counted for each owner, with its usual limit.
    public struct Item: Hashable, Sendable {
        /// The name in the database, such as `library.pages`.
        public let name: String
        /// The limit where the administrator sets no other.
        public let usualLimit: Int

        /// Creates an item; its name never changes.
        public init(_ name: String, usualLimit: Int) {
            self.name = name
            self.usualLimit = usualLimit
        }
    }

    /// The bytes of an owner's files, each counted once however many pages or boards share it: 20 GB.
    ///
    /// A captured page takes 2 MB on average, so this holds about 10,000 pages.
    public var bytes: Int64 = 20_000_000_000
    /// The free disk space that a write must leave.
    public var freeDisk = FreeDiskFloor.automatic
    private var limits: [String: Int] = [:]

    /// Creates the usual budget.
    public init() {}

    /// The limit of an item.
    public subscript(item: Item) -> Int {
        get { limits[item.name] ?? item.usualLimit }
        set { limits[item.name] = newValue }
    }
}

/// Why nothing more is stored: a limit of an ``OwnerBudget`` is reached.
public struct OverBudget: Error, Hashable, Codable, Sendable {
    /// What to do about it differs.
    public enum Kind: String, Hashable, Codable, Sendable {
        /// As many are stored as may be: delete some, or raise the limit.
        case count
        /// Too many in a short time: wait.
        case rate
        /// The owner's files take all the bytes that they may.
        case bytes
        /// The disk is almost full.
        case disk
    }

    /// What to do about it.
    public var kind: Kind
    /// What happened, and what to do.
    public var message: String

    /// Creates an error.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension OverBudget: CustomStringConvertible {
    /// The message.
    public var description: String { message }

    /// The error's name, for scripts and for a capture that fails of it.
    public static var code: String { "overBudget" }

    /// The HTTP status: 409 for a count, 429 for a rate, 507 for bytes and the disk.
    public var statusCode: Int {
        switch kind {
        case .count: 409
        case .rate: 429
        case .bytes, .disk: 507
        }
    }

    /// What happened, in a few words.
    public var title: String {
        switch kind {
        case .count: "That’s the limit"
        case .rate: "Too many at once"
        case .bytes: "Your storage is full"
        case .disk: "The disk is almost full"
        }
    }
}

extension OwnerBudget {
    /// The refusal of files that would exceed ``bytes``; `nil` if they fit.
    ///
    /// - Parameters:
    ///   - added: The bytes of the files that the owner doesn't have yet.
    ///   - used: The bytes of those that the owner has.
    /// - Returns: The refusal.
    public func refusal(adding added: Int64, to used: Int64) -> OverBudget? {
        guard added > 0 else { return nil }
        let (sum, overflows) = used.addingReportingOverflow(added)
        guard overflows || sum > bytes else { return nil }
        return OverBudget(
            .bytes,
            "Your files take \(FreeDiskFloor.text(used)) of \(FreeDiskFloor.text(bytes)), and "
                + "\(FreeDiskFloor.text(added)) more don’t fit. Delete pages or boards and wait until they can no longer "
                + "be restored, or start Meanwhile with a larger --owner-disk.")
    }
}

extension Int {
    /// Twice as many, as far as that can be counted: what an error suggests as the next limit.
    package var doubled: Int {
        let (product, overflows) = multipliedReportingOverflow(by: 2)
        return overflows ? self : product
    }
}
