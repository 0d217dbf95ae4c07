import NIOCore

/// A server-sent event: a snapshot of a part of a page.
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type; `nil` stands for `message`.
    public var name: String?
    /// The text; its line breaks are preserved.
    public var data: String

    /// Creates an event.
    public init(data: String, name: String? = nil) {
        self.data = data
        self.name = name
    }
}

extension ServerSentEvent {
    /// Writes the event in the format of an event stream.
    func write(into buffer: inout ByteBuffer) {
        if let name {
            buffer.writeString("event: ")
            buffer.writeBytes(name.utf8.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
            buffer.writeString("\n")
        }
        // Lines end with CR LF, CR or LF. Compares bytes, because CR LF is a single `Character` in Swift.
        var line: [UInt8] = []
        var previous: UInt8 = 0
        func endLine(_ line: inout [UInt8], _ buffer: inout ByteBuffer) {
            buffer.writeString("data: ")
            buffer.writeBytes(line)
            buffer.writeString("\n")
            line.removeAll(keepingCapacity: true)
        }
        for byte in data.utf8 {
            switch byte {
            case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"): break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): endLine(&line, &buffer)
            default: line.append(byte)
            }
            previous = byte
        }
        endLine(&line, &buffer)
        buffer.writeString("\n")
    }
}
