import NIOCore

/// Decides when a connection is closed because its client is too slow; a pure state machine that is passed the time.
struct ConnectionDeadlines {
    private let requestTimeout: TimeAmount
    private let idleTimeout: TimeAmount
    /// The number of requests without a complete response.
    private var requests = 0
    private var isReceivingBody = false
    /// Whether the server is reading; it pauses while a route is slower than the client.
    private var isReading = false
    private var bytesToWrite = 0
    /// When the next request's header must have arrived.
    private var requestDeadline: NIODeadline?
    private var received: TransferBudget
    private var written: TransferBudget

    init(limits: SiteLimits) {
        requestTimeout = TimeAmount(limits.requestTimeout)
        idleTimeout = TimeAmount(limits.idleTimeout)
        let budget = TransferBudget(
            allowance: TimeAmount(limits.transferAllowance), bytesPerSecond: limits.minimumBytesPerSecond)
        (received, written) = (budget, budget)
    }
}

extension ConnectionDeadlines {
    /// Whether the connection is waiting for a request, with nothing left to write.
    var isIdle: Bool { requestDeadline != nil }

    /// When the connection is closed if nothing happens; `nil` while the client waits for the server.
    var deadline: NIODeadline? {
        [requestDeadline, received.deadline, written.deadline].compactMap(\.self).min()
    }

    mutating func opened(at now: NIODeadline) {
        requestDeadline = now + requestTimeout
    }

    // MARK: The request

    mutating func receivedHead(at now: NIODeadline) {
        requests += 1
        requestDeadline = nil
        isReceivingBody = true
        received.reset()
        if isReading { received.start(at: now) }
    }

    mutating func receivedBody(bytes: Int, at now: NIODeadline) {
        received.add(bytes: bytes, at: now)
    }

    mutating func receivedEnd(at now: NIODeadline) {
        isReceivingBody = false
        received.stop(at: now)
    }

    mutating func readBegan(at now: NIODeadline) {
        isReading = true
        if isReceivingBody { received.start(at: now) }
    }

    mutating func readEnded(at now: NIODeadline) {
        isReading = false
        received.stop(at: now)
    }

    // MARK: The response

    mutating func writeBegan(bytes: Int, at now: NIODeadline) {
        if bytesToWrite == 0 {
            written.reset()
            written.start(at: now)
        }
        bytesToWrite += bytes
        requestDeadline = nil
    }

    mutating func wrote(bytes: Int, at now: NIODeadline) {
        bytesToWrite -= bytes
        written.add(bytes: bytes, at: now)
        if bytesToWrite == 0 { written.stop(at: now) }
        awaitRequest(at: now)
    }

    mutating func responseEnded(at now: NIODeadline) {
        requests = max(0, requests - 1)
        awaitRequest(at: now)
    }

    private mutating func awaitRequest(at now: NIODeadline) {
        if requests == 0, bytesToWrite == 0, requestDeadline == nil { requestDeadline = now + idleTimeout }
    }
}

/// The time left for one direction of a transfer: waiting consumes it, and bytes replenish it up to the allowance.
struct TransferBudget {
    private let allowance: Int64
    private let nanosecondsPerByte: Int64
    private var left: Int64
    private var began: NIODeadline?

    init(allowance: TimeAmount, bytesPerSecond: Int) {
        self.allowance = allowance.nanoseconds
        self.nanosecondsPerByte = 1_000_000_000 / Int64(max(1, bytesPerSecond))
        self.left = allowance.nanoseconds
    }

    /// When the budget is exhausted; `nil` while the server isn't waiting for the client.
    var deadline: NIODeadline? { began.map { $0 + .nanoseconds(left) } }

    mutating func reset() {
        left = allowance
        began = nil
    }

    mutating func start(at now: NIODeadline) {
        if began == nil { began = now }
    }

    mutating func stop(at now: NIODeadline) {
        settle(at: now)
        began = nil
    }

    mutating func add(bytes: Int, at now: NIODeadline) {
        settle(at: now)
        let (gain, isLarge) = Int64(bytes).multipliedReportingOverflow(by: nanosecondsPerByte)
        left = isLarge || gain > allowance - left ? allowance : left + gain
    }

    private mutating func settle(at now: NIODeadline) {
        guard let began else { return }
        left = max(0, left - (now - began).nanoseconds)
        self.began = now
    }
}
