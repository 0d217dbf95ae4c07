import EmojiArtWeb
import Foundation
import HTTPFetching
import HTTPTypes
import Testing

/// A client of a board's event stream, like a page.
final class BoardFollower {
    struct Event: Equatable {
        let name: String
        let data: String

        func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: Data(data.utf8))
        }
    }

    private var pieces: FetchedBytes.AsyncIterator
    private var bytes = Data()
    private var waiting: [Event] = []

    init(_ pieces: FetchedBytes) {
        self.pieces = pieces.makeAsyncIterator()
    }

    /// The next event; `nil` if the server has ended the stream.
    func next() async throws -> Event? {
        let end = Data("\n\n".utf8)
        while waiting.isEmpty {
            guard let piece = try await pieces.next() else { return nil }
            bytes += piece
            while let range = bytes.firstRange(of: end) {
                let block = String(decoding: bytes[bytes.startIndex..<range.lowerBound], as: UTF8.self)
                bytes = Data(bytes[range.upperBound...])
                if let event = Self.event(block) { waiting.append(event) }
            }
        }
        return waiting.removeFirst()
    }

    /// The next event with a name that meets a condition; skips other events.
    func next(
        _ name: String, where isWanted: (Event) throws -> Bool = { _ in true },
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Event {
        while let event = try await next() {
            if event.name == name, try isWanted(event) { return event }
        }
        return try #require(nil as Event?, "The events ended before \(name).", sourceLocation: sourceLocation)
    }

    /// Reads until the server has ended the stream.
    func readToEnd() async throws {
        while try await next() != nil {}
    }

    private static func event(_ block: String) -> Event? {
        var name = "message"
        var data: [Substring] = []
        for line in block.split(separator: "\n") {
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { data.append(line.dropFirst(6)) }
        }
        return data.isEmpty ? nil : Event(name: name, data: data.joined(separator: "\n"))
    }
}

extension BoardServer {
    /// Follows a board's events until the body returns, then disconnects.
    func follow<Outcome: Sendable>(
        _ board: String = "beach", since revision: Int? = 0,
        _ body: @escaping @Sendable (BoardFollower) async throws -> Outcome
    ) async throws -> Outcome {
        let path = "/art/boards/\(board)/events" + (revision.map { "?since=\($0)" } ?? "")
        return try await client.stream(try request(.get, path, [:], body: nil)) { head, pieces in
            try #require(head.status == 200)
            #expect(head.headers[.contentType] == "text/event-stream")
            return try await body(BoardFollower(pieces))
        }
    }

    /// Parses the entries of an event.
    static func entries(_ event: BoardFollower.Event) throws -> [EntriesJSON.Entry] {
        try event.json(EntriesJSON.self).entries ?? []
    }
}
