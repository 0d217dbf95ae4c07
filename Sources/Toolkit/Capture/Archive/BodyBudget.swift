/// How many decoded bytes of bodies a capture holds, counted while they arrive.
struct BodyBudget: Sendable {
    /// How many bytes there may be.
    let limit: Int
    private var held: [String: Int] = [:]
    private(set) var total = 0

    init(limit: Int) {
        self.limit = max(limit, 0)
    }

    /// Takes room for more bytes of a body; returns whether there is room; if not, nothing changes.
    mutating func reserve(_ bytes: Int, for id: String) -> Bool {
        guard bytes >= 0, bytes <= limit - total else { return false }
        total += bytes
        held[id, default: 0] += bytes
        return true
    }

    /// Replaces a body's estimate by its size.
    ///
    /// - Returns: Whether the body is still wanted and has room; if not, its room is released.
    mutating func settle(_ bytes: Int, for id: String) -> Bool {
        guard held[id] != nil else { return false }
        release(id)
        return reserve(bytes, for: id)
    }

    /// Releases the room of a body.
    mutating func release(_ id: String) {
        total -= held.removeValue(forKey: id) ?? 0
    }

    /// Releases the room of every body but one.
    mutating func releaseAll(except id: String) {
        held = held.filter { $0.key == id }
        total = held[id] ?? 0
    }
}
