/// Decides which connections are accepted and which are closed; a pure state machine that identifies connections by a
/// key.
struct ConnectionAdmission<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        var address: String
        /// The logical time at which the connection last became idle or busy, began to buffer bytes, or wrote some.
        var lastProgress: Int
        var isIdle = true
        var isClosing = false
        var bufferedBytes = 0
    }

    /// The maximum number of connections that are closing, each of which still holds a descriptor.
    private static var maximumClosing: Int { 64 }

    private let limits: SiteLimits
    private let isPerAddress: Bool
    private var entries: [Key: Entry] = [:]
    /// The connections that aren't closing, by address.
    private var open: [String: Set<Key>] = [:]
    private var openCount = 0
    private var bufferedBytes = 0
    private var time = 0
    private var streams: [String: Int] = [:]
    private(set) var streamCount = 0

    init(limits: SiteLimits, isPerAddress: Bool) {
        self.limits = limits
        self.isPerAddress = isPerAddress
    }
}

// MARK: - Connections

extension ConnectionAdmission {
    enum Admission: Equatable {
        case admit
        /// Admit the connection, and close another one.
        case replace(Key)
        case refuse
    }

    /// Decides on a new connection.
    ///
    /// - Parameters:
    ///   - key: The connection.
    ///   - address: The client's address.
    ///   - isLimited: Whether the limit per address applies to it.
    /// - Returns: The decision.
    mutating func admit(_ key: Key, from address: String, isLimited: Bool = true) -> Admission {
        guard entries.count < limits.maximumConnections + Self.maximumClosing else { return .refuse }
        var victim: Key?
        if isPerAddress, isLimited, open[address, default: []].count >= limits.maximumConnectionsPerAddress {
            victim = oldestIdle(of: address)
            if victim == nil { return .refuse }
        } else if openCount >= limits.maximumConnections {
            victim = oldestIdleOfBusiestAddress()
            if victim == nil { return .refuse }
        }
        if let victim { beginClosing(victim) }
        entries[key] = Entry(address: address, lastProgress: tick())
        open[address, default: []].insert(key)
        openCount += 1
        return victim.map { .replace($0) } ?? .admit
    }

    /// Records whether a connection is waiting for a request.
    mutating func setIdle(_ key: Key, _ isIdle: Bool) {
        guard entries[key] != nil, entries[key]?.isIdle != isIdle else { return }
        let now = tick()
        entries[key]?.isIdle = isIdle
        entries[key]?.lastProgress = now
    }

    /// Removes a closed connection.
    mutating func remove(_ key: Key) {
        beginClosing(key)
        guard let entry = entries.removeValue(forKey: key) else { return }
        bufferedBytes -= entry.bufferedBytes
    }

    private mutating func beginClosing(_ key: Key) {
        guard let entry = entries[key], !entry.isClosing else { return }
        entries[key]?.isClosing = true
        openCount -= 1
        open[entry.address]?.remove(key)
        if open[entry.address]?.isEmpty == true { open[entry.address] = nil }
    }

    private func oldestIdle(of address: String) -> Key? {
        var oldest: (key: Key, since: Int)?
        for key in open[address, default: []] {
            guard let entry = entries[key], entry.isIdle, entry.lastProgress < oldest?.since ?? .max else { continue }
            oldest = (key, entry.lastProgress)
        }
        return oldest?.key
    }

    private func oldestIdleOfBusiestAddress() -> Key? {
        for (address, _) in open.sorted(by: { $0.value.count > $1.value.count }) {
            if let key = oldestIdle(of: address) { return key }
        }
        return nil
    }

    private mutating func tick() -> Int {
        time += 1
        return time
    }
}

// MARK: - Memory of responses

extension ConnectionAdmission {
    /// Records bytes that wait to be written; returns the connection to close if the total is too large.
    mutating func buffered(_ bytes: Int, on key: Key) -> Key? {
        guard let entry = entries[key], !entry.isClosing else { return nil }
        if entry.bufferedBytes == 0 {
            let now = tick()
            entries[key]?.lastProgress = now
        }
        entries[key]?.bufferedBytes += bytes
        bufferedBytes += bytes
        guard bufferedBytes > limits.maximumBufferedBytes else { return nil }
        let slowest = entries.filter { $0.value.bufferedBytes > 0 && !$0.value.isClosing }
            .min { $0.value.lastProgress < $1.value.lastProgress }?.key
        if let slowest {
            beginClosing(slowest)
            // Its pending bytes are dropped with the connection.
            bufferedBytes -= entries[slowest]?.bufferedBytes ?? 0
            entries[slowest]?.bufferedBytes = 0
        }
        return slowest
    }

    /// Records bytes that were written to the client or dropped.
    mutating func wrote(_ bytes: Int, on key: Key) {
        guard let entry = entries[key], entry.bufferedBytes > 0 else { return }
        let written = min(bytes, entry.bufferedBytes)
        let now = tick()
        entries[key]?.bufferedBytes -= written
        entries[key]?.lastProgress = now
        bufferedBytes -= written
    }
}

// MARK: - Event streams

extension ConnectionAdmission {
    enum StreamAdmission: Equatable {
        case admit
        case tooManyOfAddress
        case tooMany
    }

    /// Decides on a client's request for an event stream.
    mutating func openStream(from address: String) -> StreamAdmission {
        if isPerAddress, streams[address, default: 0] >= limits.maximumEventStreamsPerAddress {
            return .tooManyOfAddress
        }
        guard streamCount < limits.maximumEventStreams else { return .tooMany }
        streams[address, default: 0] += 1
        streamCount += 1
        return .admit
    }

    /// Removes an event stream that has ended.
    mutating func closeStream(from address: String) {
        guard let count = streams[address] else { return }
        streams[address] = count > 1 ? count - 1 : nil
        streamCount -= 1
    }
}
