/// How much each owner may store, and how much disk space must stay free.
///
/// It is a property of a ``DataFolder``, so that all stores of the folder's database enforce the same limits.
public struct OwnerBudget: Hashable, Sendable {
    /// A kind of object that is counted for each owner, with its default limit.
    public struct Item: Hashable, Sendable {
        /// The name in the database, such as `library.pages`.
        public let name: String
        /// The default limit, unless the administrator sets another.
        public let defaultLimit: Int

        /// Creates an item; its name must never change.
        public init(_ name: String, defaultLimit: Int) {
            self.name = name
            self.defaultLimit = defaultLimit
        }
    }

    /// The maximum size of an owner's files in bytes, each counted once however many pages or boards share it: 20 GB by default.
    ///
    /// A captured page takes 2 MB on average, so this is enough for about 10,000 pages.
    public var bytes: Int64 = 20_000_000_000
    /// The free disk space that a write must leave.
    public var freeDisk = FreeDiskFloor.automatic
    private var limits: [String: Int] = [:]

    /// Creates the default budget.
    public init() {}

    /// The limit of an item.
    public subscript(item: Item) -> Int {
        get { limits[item.name] ?? item.defaultLimit }
        set { limits[item.name] = newValue }
    }
}

/// The error of a write that would exceed a limit of an ``OwnerBudget``.
public struct OverBudget: Error, Hashable, Codable, Sendable {
    /// The kind of limit, which determines what to do.
    public enum Kind: String, Hashable, Codable, Sendable {
        /// The maximum number of items is reached: delete some, or raise the limit.
        case count
        /// Too many items were added in a short time: wait.
        case rate
        /// The owner's files would exceed the maximum size.
        case bytes
        /// The disk is almost full.
        case disk
    }

    /// The kind of limit.
    public var kind: Kind
    /// What failed, and what to do.
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

    /// The error's name, for scripts and for captures that fail with it.
    public static var code: String { "overBudget" }

    /// The HTTP status: 409 for a count, 429 for a rate, 507 for bytes and the disk.
    public var statusCode: Int {
        switch kind {
        case .count: 409
        case .rate: 429
        case .bytes, .disk: 507
        }
    }

    /// A short title for people.
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
    ///   - added: The total size of the files that the owner doesn't have yet.
    ///   - used: The total size of those that the owner has.
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
    /// Twice the number, without overflow: what an error suggests as the next limit.
    package var doubled: Int {
        let (product, overflows) = multipliedReportingOverflow(by: 2)
        return overflows ? self : product
    }
}
