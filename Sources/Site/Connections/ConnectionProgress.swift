import NIOCore

/// Whether the client of a connection makes progress: a state machine without time or sockets of its own.
struct ConnectionProgress {
    /// Why a connection is closed.
    enum Reason: String {
        /// The body of a request arrives too slowly.
        case slowBody
        /// The client reads nothing of a response.
        case slowReader
        /// The server is shutting down.
        case shutdown
    }

    private enum Body {
        case none
        /// Since a time, so many bytes have arrived.
        case arriving(since: NIODeadline, bytes: Int)
    }

    private let limits: ConnectionLimits
    private var body = Body.none
    private var pendingWrites = 0
    private var lastWrite = NIODeadline.uptimeNanoseconds(0)
    private var shutdownBegan: NIODeadline?

    init(_ limits: ConnectionLimits) {
        self.limits = limits
    }
}

extension ConnectionProgress {
    /// Whether there is anything to check.
    var isActive: Bool {
        if case .arriving = body { return true }
        return pendingWrites > 0 || shutdownBegan != nil
    }

    /// The head of a request has arrived.
    mutating func headArrived(at now: NIODeadline) {
        body = .arriving(since: now, bytes: 0)
    }

    /// A part of a request's body has arrived.
    mutating func bodyArrived(_ bytes: Int) {
        switch body {
        case .none: break
        case .arriving(let since, let count): body = .arriving(since: since, bytes: count + bytes)
        }
    }

    /// The request has arrived whole.
    mutating func requestEnded() {
        body = .none
    }

    /// A part of a response is to be written.
    mutating func writeBegan(at now: NIODeadline) {
        if pendingWrites == 0 { lastWrite = now }
        pendingWrites += 1
    }

    /// A part of a response has been written.
    mutating func writeEnded(at now: NIODeadline) {
        pendingWrites -= 1
        lastWrite = now
    }

    /// The server begins to shut down.
    mutating func shutdown(at now: NIODeadline) {
        if shutdownBegan == nil { shutdownBegan = now }
    }

    /// Checks the limits.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - isReading: Whether the server waits for bytes of the client. If it doesn't, it is the server that is slow.
    /// - Returns: Why the connection is to be closed; `nil` if it is not.
    mutating func check(at now: NIODeadline, isReading: Bool) -> Reason? {
        if let shutdownBegan, now - shutdownBegan >= TimeAmount(limits.shutdownTimeout) { return .shutdown }
        if pendingWrites > 0, now - lastWrite >= TimeAmount(limits.readTimeout) { return .slowReader }
        switch body {
        case .none:
            break
        case .arriving(let since, let bytes) where now - since >= TimeAmount(limits.bodyInterval):
            let needed = Double(limits.slowestBody) * (limits.bodyInterval / .seconds(1))
            if isReading, Double(bytes) < needed { return .slowBody }
            body = .arriving(since: now, bytes: 0)
        case .arriving:
            break
        }
        return nil
    }

    /// How often to check.
    var interval: TimeAmount {
        let shortest = min(limits.bodyInterval, limits.readTimeout, limits.shutdownTimeout)
        return max(TimeAmount(shortest / 4), .milliseconds(10))
    }
}
