import Foundation
import Futures

@testable import Capture

extension FuzzTarget {
    /// Web archives: a parsed archive survives a round trip.
    static let webArchive = FuzzTarget(
        "web-archive", maximumLength: 8_192,
        dictionary: [
            "bplist00", "WebMainResource", "WebSubresources", "WebSubframeArchives", "WebResourceData",
            "WebResourceURL",
            "WebResourceMIMEType", "WebResourceTextEncodingName", "WebResourceFrameName",
        ]
    ) { data in
        for list in [data, propertyList(around: data)] {
            guard let archive = try? WebArchive(propertyList: list) else { continue }
            let all = archive.allResources
            try require(all.count <= 100_000, "\(list.count) bytes contain \(all.count) resources")
            let answers = ArchivedResponses(archive)
            for resource in all.prefix(10) {
                try require(answers.answer(to: resource.url, method: "GET") != nil, "\(resource.url) isn't found")
                _ = DataAddress.ofResource(resource)
                _ = DataAddress.content(of: resource.url)
            }
            let again = try WebArchive(propertyList: try archive.propertyList())
            try require(again == archive, "an archive is not read back as it was written")
        }
    }

    /// A binary property list with the input as its objects, and a matching offset table and trailer.
    ///
    /// libFuzzer rarely finds valid offsets by chance. Bytes of 255 separate the objects.
    private static func propertyList(around data: Data) -> Data {
        var list = Data("bplist00".utf8)
        var offsets: [Int] = []
        for object in data.split(separator: 0xFF, maxSplits: 200) {
            offsets.append(list.count)
            list.append(object)
        }
        let table = list.count
        for offset in offsets { list.append(contentsOf: [UInt8(offset >> 8 & 0xFF), UInt8(offset & 0xFF)]) }
        list.append(contentsOf: [0, 0, 0, 0, 0, 0, 2, 1])
        for number in [offsets.count, 0, table] {
            list.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
        }
        return list
    }

    /// Viewer copies: the input determines the documents, frames, style sheets and resources.
    static let viewerCopy = FuzzTarget("viewer-copy", maximumLength: 2_048) { data in
        var input = InputReader(data)
        var material = ViewerMaterial(&input)
        let (copy, steps) = material.copy()
        try require(steps <= 400_000, "a copy of \(data.count) bytes takes \(steps) steps")
        if let copy { try require(copy.count <= material.limit, "a copy is larger than its limit") }
        guard material.isPlain else { return }
        var room = material.limit
        if let expected = material.reference(of: "0", depth: 0, nesting: 0, room: &room) {
            try require(copy == Data(expected), "a copy differs from the reference")
        } else {
            try require(copy == nil, "a copy was written although the reference exceeds the limit")
        }
    }

    /// Messages of the browser, separated by zero bytes, to a connection with pending commands.
    static let devTools = FuzzTarget(
        "devtools-messages", maximumLength: 4_096,
        dictionary: [
            "{\"id\":1,\"result\":{", "{\"id\":2,\"error\":{\"message\":\"", "\"method\":\"Target.attachedToTarget\"",
            "\"method\":\"Target.detachedFromTarget\"", "\"method\":\"Inspector.targetCrashed\"", "\"sessionId\":\"s\"",
            "\"params\":{", "\"targetInfo\":{", "\\\"", "\\\\", "\"id\":9223372036854775808", "\"id\":-1",
        ]
    ) { data in
        var machine = DevToolsConnectionStateMachine()
        var replies: [DevToolsConnectionStateMachine.Reply] = []
        for session in [nil, "s", "t"] {
            let reply = DevToolsConnectionStateMachine.Reply(onAbandon: { overflow })
            replies.append(reply)
            _ = machine.send(method: "Test.question", sessionID: session, reply: reply)
        }
        let events = DevToolsEvents(limit: 10_000)
        _ = machine.follow("s", events: events.queue)
        for bytes in data.split(separator: 0) {
            guard let message = DevToolsMessage(Data(bytes)) else { continue }
            try check(message, Data(bytes))
            switch machine.receive(message) {
            case .resolve(let reply, let payload): reply.resolve(payload)
            case .reject(let reply, let error): reply.reject(error)
            case .publish(let event, let queues):
                for queue in queues where !queue.add(event) { reject(machine.overflow(queue, overflow)) }
                decode(event)
            case .endSession(_, _, let rejected, _, let finished):
                reject(rejected)
                for queue in finished { queue.finish() }
            case .ignore: break
            }
        }
        let closing = machine.close(overflow)
        reject(closing.rejecting)
        for queue in closing.finishing { queue.finish() }
        for reply in replies { reply.reject(overflow) }
    }

    private static let overflow = DevToolsError(.disconnected, "The connection has ended.")

    private static func reject(_ replies: [DevToolsConnectionStateMachine.Reply]) {
        for reply in replies { reply.reject(overflow) }
    }

    /// Checks that the payload of a JSON message is JSON too.
    private static func check(_ message: DevToolsMessage, _ bytes: Data) throws {
        guard (try? JSONSerialization.jsonObject(with: bytes)) is [String: Any], !message.payload.isEmpty else {
            return
        }
        let payload = try? JSONSerialization.jsonObject(with: message.payload, options: .fragmentsAllowed)
        try require(payload != nil, "a payload is not JSON")
    }

    private static func decode(_ event: DevToolsEvent) {
        _ = event.decode(PageEvents.Lifecycle.self)
        _ = event.decode(PageEvents.RequestWillBeSent.self)
        _ = event.decode(PageEvents.ResponseReceived.self)
        _ = event.decode(PageEvents.RequestPaused.self)
        _ = event.decode(PageEvents.AttachedToTarget.self)
    }
}
