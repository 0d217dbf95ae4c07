import HTTPTypes
import Hummingbird

/// Pages with a large amount of content.
extension Routes {
    func addLargePages() {
        self.page("/many") { visit in
            let count = min(max(visit.number("n") ?? 300, 1), 10_000)
            let pictures = (1...count).map { "<img src='/image/\($0).png' alt='' width=32 height=24>" }
            return HTML.page("Many", pictures.joined(separator: "\n"))
        }
        self.add("/large") { .large(megabytes: min(max($0.number("megabytes") ?? 30, 1), 1000)) }
    }
}

/// Pages with nested frames.
extension Routes {
    func addFrames() {
        self.page("/deep-frames") { visit in
            let depth = visit.number("depth") ?? 0
            let next = "\(visit.otherOrigin)/deep-frames?depth=\(depth + 1)"
            let rest = depth < 6 ? "<iframe src='\(next)' width='95%' height='600'></iframe>" : "<p>The innermost.</p>"
            return HTML.page("Depth \(depth)", "<img src='/image/\(90 + depth).png' alt=''>\n" + rest)
        }
        self.page("/frame-loop") { visit in
            let turn = visit.number("turn") ?? 0
            return HTML.page("Turn \(turn)", "<iframe src='/frame-loop?turn=\(turn + 1)'></iframe>")
        }
    }
}

extension Response {
    /// A page of paragraphs with a size in megabytes, written in pieces.
    static func large(megabytes: Int) -> Response {
        let head = "<!DOCTYPE html>\n<title>Large</title>\n<h1>Large</h1>\n"
        let lines = String(repeating: HTML.paragraph + "\n", count: 600)
        let total = megabytes * 1_000_000
        let body = ResponseBody(contentLength: total) { writer in
            var rest = total - head.utf8.count
            try await writer.write(ByteBuffer(string: head))
            let piece = ByteBuffer(string: lines)
            while rest > 0 {
                // The last piece may end in the middle of a paragraph, which HTML allows.
                let part = rest < piece.readableBytes ? ByteBuffer(string: String(lines.prefix(rest))) : piece
                try await writer.write(part)
                rest -= part.readableBytes
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"], body: body)
    }
}
