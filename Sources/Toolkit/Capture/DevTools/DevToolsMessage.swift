package import Foundation

/// A message from the browser, parsed without decoding its payload.
///
/// Messages can be tens of megabytes (a picture, base64 in JSON), so the payload is skipped here and decoded once by
/// its receiver.
package struct DevToolsMessage: Sendable {
    /// The kind of a message.
    package enum Kind: Sendable {
        /// The reply to the command with this ID.
        case reply(id: Int)
        /// The failure of the command with this ID.
        case failure(id: Int)
        case event(method: String)
    }

    /// The kind of the message.
    package var kind: Kind
    /// The session of the message; `nil` for the browser itself.
    package var sessionID: String?
    /// The JSON of `result`, `error` or `params`; empty if there is none.
    package var payload: Data

    /// Parses a JSON object without its terminating NUL; `nil` if it isn't a DevTools message.
    package init?(_ message: Data) {
        var id: Int?
        var method: String?
        var sessionID: String?
        var failed = false
        var payload: Range<Int>?
        let isRead = message.withUnsafeBytes { bytes -> Bool in
            var scanner = JSONScanner(bytes)
            return scanner.scanObject { key, value in
                switch key {
                case "id": id = Int(value.text)
                case "method": method = value.unquotedText
                case "sessionId": sessionID = value.unquotedText
                case "result", "params": payload = value.range
                case "error":
                    payload = value.range
                    failed = true
                default: break
                }
            }
        }
        guard isRead else { return nil }
        if let id {
            self.kind = failed ? .failure(id: id) : .reply(id: id)
        } else if let method {
            self.kind = .event(method: method)
        } else {
            return nil
        }
        self.sessionID = sessionID
        let start = message.startIndex
        self.payload = payload.map { message[(start + $0.lowerBound)..<(start + $0.upperBound)] } ?? Data()
    }
}

extension DevToolsMessage {
    /// The ID of the command that a message replies to, from its first bytes, assuming Chromium's order of members.
    static func replyID(atStartOf bytes: Data) -> Int? {
        let member = Data(#"{"id":"#.utf8)
        guard bytes.starts(with: member) else { return nil }
        let digits = bytes.dropFirst(member.count).prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}

/// Finds the members of one JSON object without decoding their values.
struct JSONScanner {
    /// The value of a member, as a range of the text.
    struct Value {
        let bytes: UnsafeRawBufferPointer
        let range: Range<Int>

        var text: String {
            String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        }

        /// The content of a string; `nil` for any other value.
        ///
        /// Assumes that it contains no escapes, which holds for DevTools names and IDs.
        var unquotedText: String? {
            guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
            let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
            return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[inner]), as: UTF8.self)
        }
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Calls `member` for each member of the object; returns whether the text begins with a complete object.
    mutating func scanObject(_ member: (String, Value) -> Void) -> Bool {
        skipSpace()
        guard take(UInt8(ascii: "{")) else { return false }
        skipSpace()
        if take(UInt8(ascii: "}")) { return true }
        while true {
            skipSpace()
            guard let key = scanValue(), let name = key.unquotedText else { return false }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { return false }
            skipSpace()
            guard let value = scanValue() else { return false }
            member(name, value)
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            return take(UInt8(ascii: "}"))
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position] <= UInt8(ascii: " ") { position += 1 }
    }

    private mutating func scanValue() -> Value? {
        let start = position
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            guard skipString() else { return nil }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard skipNested() else { return nil }
        default:
            while position < bytes.count, !isEndOfScalar(bytes[position]) { position += 1 }
            guard position > start else { return nil }
        }
        return Value(bytes: bytes, range: start..<position)
    }

    private func isEndOfScalar(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
            || byte <= UInt8(ascii: " ")
    }

    private mutating func skipNested() -> Bool {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
            default:
                break
            }
            position += 1
            if depth == 0 { return true }
        }
        return false
    }

    private mutating func skipString() -> Bool {
        position += 1
        guard let base = bytes.baseAddress else { return false }
        while position < bytes.count {
            guard let quote = memchr(base + position, CInt(UInt8(ascii: "\"")), bytes.count - position) else {
                return false
            }
            let end = UnsafeRawPointer(quote) - base
            var backslashes = 0
            while end - backslashes > position, bytes[end - backslashes - 1] == UInt8(ascii: "\\") {
                backslashes += 1
            }
            position = end + 1
            if backslashes.isMultiple(of: 2) { return true }
        }
        return false
    }
}
