import NIOCore

/// An event of a stream of server-sent events: a snapshot of what a part of a page shows.
public struct ServerSentEvent: Sendable, Hashable {
    /// What kind of event it is; nil for a `message`.
    public var name: String?
    /// The text; several lines arrive as several lines.
    public var data: String

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - data: The text.
    ///   - name: What kind of event it is; nil for a `message`.
    public init(data: String, name: String? = nil) {
        self.data = data
        self.name = name
    }
}

extension ServerSentEvent {
    /// Writes the event as the stream has it.
    func write(into buffer: inout ByteBuffer) {
        if let name {
            buffer.writeString("event: ")
            buffer.writeBytes(name.utf8.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
            buffer.writeString("\n")
        }
        // A line ends with CR LF, CR or LF. In Swift, CR LF is one character, so this goes by bytes.
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
