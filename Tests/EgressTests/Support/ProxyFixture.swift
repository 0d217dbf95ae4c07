import Futures

@testable import Egress

/// A proxy with a session that may connect to this machine, with helpers for tests.
struct ProxyFixture: Sendable {
    let proxy: PinningProxy
    let session: PinningProxy.Session

    static func start(
        allowing rules: [String] = ["127.0.0.0/8"], limits: PinningProxy.Limits = .withLongTimeouts,
        resolver: any NameResolver = FixedResolver(["127.0.0.1"])
    ) async throws -> ProxyFixture {
        let proxy = try await PinningProxy.start(limits: limits, resolver: resolver)
        let session = try proxy.session(policy: AddressPolicy(allowing: rules.map { try AllowRule($0) }))
        return ProxyFixture(proxy: proxy, session: session)
    }

    func connect(reads: Bool = true) async throws -> Wire {
        try await Wire.connect(to: proxy.port, reads: reads)
    }

    /// The header field with the session's credentials.
    var authorization: String { Self.authorization(session) }

    static func authorization(_ session: PinningProxy.Session) -> String {
        "Proxy-Authorization: Basic \(base64("\(session.userName):\(session.password)"))\r\n"
    }

    static func base64(_ text: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = ""
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let three = bytes.prefix(3)
            bytes = bytes.dropFirst(3)
            let number = (0..<3).reduce(0) { $0 << 8 | ($1 < three.count ? Int(three[three.startIndex + $1]) : 0) }
            for index in 0..<4 {
                result.append(index <= three.count ? digits[number >> (18 - 6 * index) & 63] : "=")
            }
        }
        return result
    }

    func get(_ url: String, headers: String = "") -> String {
        "GET \(url) HTTP/1.1\r\nHost: elsewhere.example\r\n\(authorization)\(headers)\r\n"
    }

    func connectRequest(_ authority: String) -> String {
        "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\(authorization)\r\n"
    }
}

extension PinningProxy.Limits {
    /// Time limits that even a busy machine doesn't reach.
    static let withLongTimeouts = {
        var limits = PinningProxy.Limits()
        limits.headTime = .seconds(600)
        limits.connectTime = .seconds(600)
        limits.idleTime = .seconds(600)
        return limits
    }()
}

final class Counter: Sendable {
    private let count = Lock(0)

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }

    var value: Int { count.withLock { $0 } }
}

/// An ordered log of events.
final class Journal: Sendable {
    private let lines = Lock<[String]>([])

    func note(_ line: String) {
        lines.withLock { $0.append(line) }
    }

    var all: [String] { lines.withLock { $0 } }
}

/// Returns only when its task is cancelled.
struct SilentResolver: NameResolver {
    private let answer = Promise<[IPAddress], any Error>()

    func addresses(of host: String) async throws -> [IPAddress] {
        try await answer.future.value
    }
}

/// Returns the next list of addresses at each look-up, and the last list from then on.
final class ChangingResolver: NameResolver {
    private let answers: [[IPAddress]]
    let queryCount = Counter()

    init(_ answers: [[String]]) {
        self.answers = answers.map { $0.compactMap { IPAddress($0) } }
    }

    func addresses(of host: String) async throws -> [IPAddress] {
        answers[min(queryCount.next(), answers.count) - 1]
    }
}
