import Foundation

@testable import Capture

/// The parts of a viewer copy, generated from a fuzz input.
struct ViewerMaterial {
    private static let mark = "\u{1}m"
    private static let kinds: [UInt8] = Array("rsvchfd".utf8)

    let limit: Int
    private var texts: [String: (pieces: [Piece], isQuirky: Bool)] = [:]
    private var styleSheets: [String: ViewerTemplate] = [:]
    private var resources: [String: WebArchive.Resource] = [:]

    /// A piece of a document, as the reference implementation writes it.
    private enum Piece {
        case text([UInt8])
        case head
        case frame(String)
        case other
    }

    init(_ input: inout InputReader) {
        let limits = [0, 300, 5_000, 20_000]
        limit = limits[input.number(below: limits.count)]
        for number in 0..<input.number(below: 5) {
            let address = "http://r\(number)/"
            resources[address] = WebArchive.Resource(
                data: input.bytes(), url: address, mediaType: input.line(), textEncodingName: nil)
        }
        for number in 0..<input.number(below: 5) {
            let (text, _) = Self.text(&input)
            styleSheets["http://s\(number)/"] = Self.template(text)
        }
        for number in 0...input.number(below: 6) {
            let isQuirky = input.number(below: 4) == 1
            let (text, pieces) = Self.text(&input)
            texts["\(number)"] = (pieces, isQuirky)
            documents["\(number)"] = .init(template: Self.template(text), isQuirky: isQuirky)
        }
    }

    private var documents: [String: ViewerCopyWriter.Document] = [:]

    private static let references =
        (0..<6).map { "\($0)" } + (0..<4).map { "http://s\($0)/" } + (0..<4).map { "http://r\($0)/" }

    private static func template(_ text: String) -> ViewerTemplate {
        ViewerTemplate(text, references: references, mark: mark)
    }

    private static func text(_ input: inout InputReader) -> (String, [Piece]) {
        var (text, pieces): (String, [Piece]) = ("", [])
        for _ in 0..<input.number(below: 24) {
            let kind = input.number(below: 12)
            guard kind < kinds.count else {
                // Replaces U+0001, which could form a mark by chance.
                let some = String(decoding: input.bytes().map { $0 == 1 ? 2 : $0 }, as: UTF8.self)
                text += some
                pieces.append(.text(Array(some.utf8)))
                continue
            }
            let number = input.number(below: references.count)
            text += "\(mark)\(Character(Unicode.Scalar(kinds[kind])))\(number)z"
            switch kinds[kind] {
            case UInt8(ascii: "h"): pieces.append(.head)
            case UInt8(ascii: "f"): pieces.append(.frame(references[number]))
            default: pieces.append(.other)
            }
        }
        return (text, pieces)
    }

    /// The copy, if any, and how often the writer checked for cancellation.
    mutating func copy() -> (Data?, steps: Int) {
        var steps = 0
        var writer = ViewerCopyWriter(
            resources: resources, documents: documents, styleSheets: styleSheets, limit: limit,
            isCancelled: {
                steps += 1
                return steps > 400_000
            })
        let copy = try? writer.copy(of: "0")
        return (copy, steps)
    }
}

// MARK: - The reference

extension ViewerMaterial {
    /// Whether the documents contain only texts, heads and frames, which the reference implementation can write.
    var isPlain: Bool {
        limit <= 5_000
            && texts.values.allSatisfy { document in
                !document.isQuirky
                    && document.pieces.allSatisfy { if case .other = $0 { false } else { true } }
            }
    }

    /// A document as it should be written, with each nested frame escaped once more; `nil` if there isn't enough room.
    ///
    /// A frame that contains itself is left out: `parents` are the frames around it.
    func reference(
        of frame: String, depth: Int, nesting: Int, parents: Set<String> = [], room: inout Int
    ) -> [UInt8]? {
        guard let document = texts[frame] else { return [] }
        var written: [UInt8] = []
        for piece in document.pieces {
            let more: [UInt8]
            switch piece {
            case .text(let text):
                more = text
                room -= text.count
            case .head:
                more = Array(Self.head(isInAttribute: depth > 0).utf8)
                room -= more.count
            case .frame(let child):
                let parents = parents.union([frame])
                guard nesting < 200, !parents.contains(child) else { continue }
                room -= 10
                guard room >= 0,
                    let inner = reference(
                        of: child, depth: depth + 1, nesting: nesting + 1, parents: parents, room: &room)
                else { return nil }
                more = Array(" srcdoc=\"".utf8) + Self.escaped(inner) + Array("\"".utf8)
            case .other:
                continue
            }
            guard room >= 0, written.count + more.count <= limit else { return nil }
            written += more
        }
        return written
    }

    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte in
            switch byte {
            case UInt8(ascii: "&"): Array("&amp;".utf8)
            case UInt8(ascii: "\""): Array("&quot;".utf8)
            default: [byte]
            }
        }
    }

    private static func head(isInAttribute: Bool) -> String {
        "<meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"\(ViewerCopyWriter.policy)\">"
            + "<meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">"
            + (isInAttribute ? "<base href=\"about:srcdoc\">" : "")
    }
}
