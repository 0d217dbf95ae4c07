/// The number of decoded bytes of bodies that a capture may hold, counted as they arrive.
struct BodyBudget: Sendable {
    /// The maximum number of bytes.
    let limit: Int
    private var reserved: [String: Int] = [:]
    private(set) var total = 0

    init(limit: Int) {
        self.limit = max(limit, 0)
    }

    /// Reserves more bytes for a body; returns `false`, without any change, if the budget doesn't allow it.
    mutating func reserve(_ bytes: Int, for id: String) -> Bool {
        guard bytes >= 0, bytes <= limit - total else { return false }
        total += bytes
        reserved[id, default: 0] += bytes
        return true
    }

    /// Replaces a body's estimated size by its actual size.
    ///
    /// - Returns: Whether the body is still registered and fits. If not, its reservation is released.
    mutating func adjust(_ bytes: Int, for id: String) -> Bool {
        guard reserved[id] != nil else { return false }
        release(id)
        return reserve(bytes, for: id)
    }

    /// Releases the reservation of a body.
    mutating func release(_ id: String) {
        total -= reserved.removeValue(forKey: id) ?? 0
    }

    /// Releases the reservations of all bodies but one.
    mutating func releaseAll(except id: String) {
        reserved = reserved.filter { $0.key == id }
        total = reserved[id] ?? 0
    }
}
