import Interleaving
import Testing

/// modelcontextprotocol/swift-sdk: a request's continuation is resumed twice if sending fails while a response arrives.
///
/// <https://github.com/modelcontextprotocol/swift-sdk/pull/113>. The client is an actor with a dictionary of pending
/// requests. Both the sender's error path and the receiver read a request, suspend, resume its continuation, and remove
/// the request afterwards. If one suspends while the other resumes, both resume. The fix removes the request first, and
/// resumes only what was removed.
///
/// The explorer needs a continuation that reports the second resumption: a `CheckedContinuation` ends the process.
@Suite struct ContinuationTwiceHunts {
    private let bug = KnownBug(
        reference: "modelcontextprotocol/swift-sdk#113", property: "a request is answered exactly once")

    @Test func failedSendAndResponseBothResume() {
        bug.isFound("resumed twice") { await failedSendDuringResponse(removesFirst: false) }
    }

    @Test func removalDecidesWhichOneResumes() {
        bug.isAbsent { await failedSendDuringResponse(removesFirst: true) }
    }
}

private func failedSendDuringResponse(removesFirst: Bool) async {
    let client = Client(removesFirst: removesFirst)
    async let response = try? await client.request(1)
    async let receive: Void = client.receive("pong", for: 1)
    await receive
    _ = await response
}

private actor Client {
    private struct SendError: Error {}

    private let removesFirst: Bool
    private let connection = Connection()
    private var pending: [Int: Resumption<String>] = [:]

    init(removesFirst: Bool) {
        self.removesFirst = removesFirst
    }

    func request(_ id: Int) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            let resumption = Resumption(continuation)
            pending[id] = resumption
            Task {
                guard await !connection.send(id) else { return }
                if removesFirst {
                    pending.removeValue(forKey: id)?.resume(throwing: SendError())
                } else {
                    resumption.resume(throwing: SendError())
                    pending[id] = nil
                }
            }
        }
    }

    func receive(_ text: String, for id: Int) async {
        if removesFirst {
            await connection.log("received \(id)")
            pending.removeValue(forKey: id)?.resume(returning: text)
        } else if let request = pending[id] {
            await connection.log("received \(id)")
            request.resume(returning: text)
            pending[id] = nil
        }
    }
}

private actor Connection {
    private var lines: [String] = []

    /// Returns whether the request was sent; the network is down.
    func send(_ id: Int) -> Bool {
        lines.append("sent \(id)")
        return false
    }

    func log(_ line: String) {
        lines.append(line)
    }
}
