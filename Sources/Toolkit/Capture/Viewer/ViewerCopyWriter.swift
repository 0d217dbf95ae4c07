import Foundation

/// Puts a viewer copy together from what the scripts wrote.
///
/// The page decides how much there is to do: each frame may contain others, each style sheet may import others, and each
/// level escapes what is below it once more. Three limits hold for any page: what is written to the copy ends at `limit`, all that is
/// written on trial and thrown away ends at a multiple of it, and `isCancelled` is asked before each piece.
struct ViewerCopyWriter {
    /// A frame's document.
    struct Document {
        var template: ViewerTemplate
        var isQuirky: Bool
    }

    /// Why there is no copy.
    enum Failure: Error {
        /// The documents alone, without any resource, are larger than the copy may be.
        case tooLarge
        case cancelled
    }

    /// Forbids a copy everything but what is in it, wherever it is opened.
    static let policy =
        "default-src 'none'; img-src data:; style-src 'unsafe-inline' data:; font-src data:; media-src data:; "
        + "frame-src 'self' data:; form-action 'none'"

    /// How deep style sheets may import each other, and how many may be put in: sheets that import each other twice over
    /// are many in the end.
    static let importDepth = 32
    private static let importLimit = 2_000
    /// How deep frames may be nested; what is below is left out.
    private static let frameDepth = 200
    /// What Chromium opens as a frame's address, in bytes.
    private static let frameAddressLimit = 2 << 20

    private let resources: [String: WebArchive.Resource]
    private let documents: [String: Document]
    private let styleSheets: [String: ViewerTemplate]
    private let limit: Int
    private let isCancelled: () -> Bool
    /// How many bytes may still be written on trial: to style sheets, and to frames that are to be addresses.
    private var trial: Int
    private var imports = 0
    private var addresses: [String: [UInt8]] = [:]
    /// The addresses of frames that were tried, `nil` for those that are too long: each is tried once.
    private var frameAddresses: [String: [UInt8]?] = [:]
    private var sheetUses: [String: Uses] = [:]
    /// The frames whose documents are being written, each inside the one before.
    ///
    /// The frames of a page are a tree. Without this check, a quirky frame that contains itself is tried as an address at each of
    /// ``frameDepth`` levels, and then written as text at each.
    private var openFrames: Set<String> = []
    /// What the names of variables begin with, once one was needed.
    private var variablePrefix: String?
    /// The names of what the document at hand has in variables.
    private var variables: [String: String] = [:]

    /// Resources and style sheets are by address, documents by the numbers of their frames; the limit is in bytes.
    init(
        resources: [String: WebArchive.Resource], documents: [String: Document], styleSheets: [String: ViewerTemplate],
        limit: Int, isCancelled: @escaping () -> Bool = { false }
    ) {
        self.resources = resources
        self.documents = documents
        self.styleSheets = styleSheets
        self.limit = limit
        self.isCancelled = isCancelled
        let (product, isOverflowing) = limit.multipliedReportingOverflow(by: 4)
        self.trial = isOverflowing ? .max : product
    }

    /// The copy.
    mutating func copy(of frame: String) throws(Failure) -> Data {
        var out = Output(room: limit, leavesOut: true)
        try write(frame, depth: 0, nesting: 0, to: &out)
        return Data(out.bytes)
    }

    private func checkCancellation() throws(Failure) {
        if isCancelled() { throw .cancelled }
    }
}

/// Bytes of which there may only be so many.
private struct Output {
    private(set) var bytes: [UInt8] = []
    /// How many more there may be.
    private(set) var room: Int
    /// Whether a resource without room is left out; otherwise all of this is of no use then.
    let leavesOut: Bool

    init(room: Int, leavesOut: Bool) {
        self.room = room
        self.leavesOut = leavesOut
    }

    mutating func append(_ more: some Collection<UInt8>) throws(ViewerCopyWriter.Failure) {
        guard more.count <= room else { throw .tooLarge }
        room -= more.count
        bytes.append(contentsOf: more)
    }

    mutating func append(_ text: String) throws(ViewerCopyWriter.Failure) { try append(text.utf8) }

    mutating func append(_ more: some Collection<UInt8>, _ escape: Escape) throws(ViewerCopyWriter.Failure) {
        guard escape.isNeeded else { return try append(more) }
        // Counted before anything is written: at a depth of 200 one byte becomes 800.
        guard more.count <= room, let length = escape.length(of: more), length <= room else { throw .tooLarge }
        room -= length
        escape.append(more, to: &bytes)
    }
}

// MARK: - Documents

extension ViewerCopyWriter {
    /// Writes a frame's document, which stands in so many `srcdoc` attributes and so many frames, each inside the other.
    private mutating func write(
        _ frame: String, depth: Int, nesting: Int, to out: inout Output
    ) throws(Failure) {
        guard let document = documents[frame], openFrames.insert(frame).inserted else { return }
        let outer = variables
        defer {
            variables = outer
            openFrames.remove(frame)
        }
        let shared = shared(in: document.template)
        variables = shared.names
        let escape = Escape(depth: depth)
        for piece in document.template.pieces {
            try checkCancellation()
            switch piece {
            case .text(let text):
                try out.append(text, escape)
            case .place(.head, _):
                try writeHead(shared.addresses, isInAttribute: depth > 0, escape, to: &out)
            case .place(.frame, let child):
                try write(frame: child, depth: depth, nesting: nesting + 1, escape, to: &out)
            case .place(.frameAddress, let child):
                if let address = try frameAddress(of: child, nesting: nesting + 1), address.count <= out.room {
                    try out.append(address, escape)
                }
            case .place(let kind, let address):
                try write(kind, address, below: [], to: &out)
            }
        }
    }

    private mutating func write(
        frame: String, depth: Int, nesting: Int, _ escape: Escape, to out: inout Output
    ) throws(Failure) {
        guard nesting <= Self.frameDepth, !openFrames.contains(frame) else { return }
        // Documents in `srcdoc` are never quirky.
        if documents[frame]?.isQuirky == true, let address = try frameAddress(of: frame, nesting: nesting),
            address.count <= out.room
        {
            return try out.append(address, escape)
        }
        try out.append(" srcdoc=\"".utf8, escape)
        try write(frame, depth: depth + 1, nesting: nesting, to: &out)
        try out.append("\"".utf8, escape)
    }

    /// The attribute that gives a frame its document as an address; `nil` where the address is too long.
    private mutating func frameAddress(of frame: String, nesting: Int) throws(Failure) -> [UInt8]? {
        guard nesting <= Self.frameDepth, !openFrames.contains(frame) else { return nil }
        if let known = frameAddresses[frame] { return known }
        var html = Output(room: min(Self.frameAddressLimit, trial), leavesOut: false)
        var attribute: [UInt8]?
        do {
            try write(frame, depth: 0, nesting: nesting, to: &html)
            let address = DataAddress.ofText(html.bytes, type: "text/html")
            if address.count <= Self.frameAddressLimit {
                attribute = Array(" src=\"".utf8) + address + Array("\"".utf8)
            }
        } catch .cancelled {
            throw .cancelled
        } catch {
            attribute = nil
        }
        spend(html.bytes.count)
        frameAddresses[frame] = .some(attribute)
        return attribute
    }

    private mutating func spend(_ bytes: Int) {
        trial = max(0, trial - bytes)
    }

    /// What comes first in a head.
    ///
    /// Without a base, links to places in the document of a `srcdoc` lead to places of the document that it stands in.
    private mutating func writeHead(
        _ shared: [String], isInAttribute: Bool, _ escape: Escape, to out: inout Output
    ) throws(Failure) {
        try out.append(
            "<meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"\(Self.policy)\">".utf8,
            escape)
        try out.append("<meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">".utf8, escape)
        if isInAttribute { try out.append("<base href=\"about:srcdoc\">".utf8, escape) }
        guard !shared.isEmpty else { return }
        try out.append("<style>:root{".utf8, escape)
        for address in shared {
            guard let name = variables[address] else { continue }
            try out.append("\(name):url(".utf8, escape)
            try out.append(dataAddress(of: address, in: out))
            try out.append(");".utf8, escape)
        }
        try out.append("}</style>".utf8, escape)
    }
}

// MARK: - Variables

extension ViewerCopyWriter {
    /// The pictures that a document or a style sheet refers to where a variable may stand, in their order, and the style
    /// sheets that it imports.
    private struct Uses {
        var pictures: [(address: String, count: Int)] = []
        var styleSheets: [String]

        init(_ template: ViewerTemplate) {
            var places: [String: Int] = [:]
            for case .place(let kind, let address) in template.pieces where kind == .variable || kind == .image {
                let place = places[address] ?? pictures.count
                if place == pictures.count {
                    places[address] = place
                    pictures.append((address, 0))
                }
                pictures[place].count += kind == .variable ? 2 : 1
            }
            styleSheets = template.references(.styleSheet)
        }
    }

    /// What a document shows more than once, and the variables that hold it.
    private mutating func shared(in template: ViewerTemplate) -> (addresses: [String], names: [String: String]) {
        var all = [Uses(template)]
        var seen: Set<String> = []
        var waiting = all[0].styleSheets
        while let address = waiting.popLast(), trial > 0 {
            guard seen.insert(address).inserted, let sheet = styleSheets[address] else { continue }
            let uses = sheetUses[address] ?? Uses(sheet)
            sheetUses[address] = uses
            // Each document goes through all of its sheets again.
            spend(100 * (1 + uses.pictures.count + uses.styleSheets.count))
            all.append(uses)
            waiting += uses.styleSheets
        }
        var addresses: [String] = []
        var counts: [String: Int] = [:]
        for (address, count) in all.lazy.flatMap(\.pictures) {
            if counts[address] == nil { addresses.append(address) }
            counts[address, default: 0] += count
        }
        addresses.removeAll { counts[$0, default: 0] < 2 }
        guard !addresses.isEmpty else { return ([], [:]) }
        let prefix = variablePrefix ?? unusedPrefix()
        variablePrefix = prefix
        let names = addresses.enumerated().map { ($1, "\(prefix)\($0)") }
        return (addresses, Dictionary(names) { first, _ in first })
    }

    /// What no name of a variable of the page begins with: `--kept` and the first number that none has behind that.
    private func unusedPrefix() -> String {
        let templates = documents.values.map(\.template) + styleSheets.values
        let taken = templates.reduce(into: Set<Int>()) { $0.formUnion($1.numbers(behind: "--kept")) }
        return "--kept\((0...taken.count).first { !taken.contains($0) } ?? taken.count)-"
    }
}

// MARK: - What is put in

extension ViewerCopyWriter {
    /// Writes what stands at a place, in style sheets of which each is imported by the one before.
    private mutating func write(
        _ kind: ViewerTemplate.Kind, _ address: String, below importers: [String], to out: inout Output
    ) throws(Failure) {
        switch kind {
        case .styleSheet:
            try out.append(try styleSheetAddress(of: address, below: importers, in: out))
        case .image, .variable:
            if let name = variables[address] { return try out.append("var(\(name))") }
            try out.append("url(")
            try out.append(dataAddress(of: address, in: out))
            try out.append(")")
        case .resource, .head, .frame, .frameAddress:
            try out.append(dataAddress(of: address, in: out))
        }
    }

    /// A resource's address; what there is no room for is left out, or nothing at all.
    private mutating func dataAddress(of address: String, in out: Output) -> [UInt8] {
        // Without a check for room, appending it fails where nothing may be left out.
        let room = out.leavesOut ? out.room : limit
        if let known = addresses[address] { return known.count <= room ? known : DataAddress.empty }
        guard let resource = resources[address], resource.data.count / 3 * 4 <= room else { return DataAddress.empty }
        let made = DataAddress.ofResource(resource)
        addresses[address] = made
        return made.count <= room ? made : DataAddress.empty
    }

    private mutating func styleSheetAddress(
        of address: String, below importers: [String], in out: Output
    ) throws(Failure) -> [UInt8] {
        let nothing = Array("data:text/css,".utf8)
        imports += 1
        guard let sheet = styleSheets[address], !importers.contains(address), importers.count < Self.importDepth,
            imports <= Self.importLimit
        else { return nothing }
        var css = Output(room: min(out.room, trial), leavesOut: out.leavesOut)
        do {
            defer { spend(css.bytes.count) }
            for piece in sheet.pieces {
                try checkCancellation()
                switch piece {
                case .text(let text): try css.append(text)
                case .place(let kind, let what):
                    try write(kind, what, below: importers + [address], to: &css)
                }
            }
        } catch .tooLarge where out.leavesOut {
            return nothing
        }
        let made = DataAddress.ofText(css.bytes, type: "text/css")
        return made.count <= out.room || !out.leavesOut ? made : nothing
    }
}

/// Writes what stands in attributes in attributes, so many times over.
private struct Escape {
    private let ampersand: [UInt8]
    private let quote: [UInt8]
    let isNeeded: Bool

    init(depth: Int) {
        self.isNeeded = depth > 0
        self.ampersand = Array(("&" + String(repeating: "amp;", count: depth)).utf8)
        self.quote = Array(("&" + String(repeating: "amp;", count: max(depth - 1, 0)) + "quot;").utf8)
    }

    /// How many bytes are written for some; `nil` for more than can be counted.
    func length(of bytes: some Collection<UInt8>) -> Int? {
        var (ampersands, quotes) = (0, 0)
        for byte in bytes {
            if byte == UInt8(ascii: "&") { ampersands += 1 }
            if byte == UInt8(ascii: "\"") { quotes += 1 }
        }
        let (more, isTooMuch) = ampersands.multipliedReportingOverflow(by: ampersand.count - 1)
        let (evenMore, isFarTooMuch) = quotes.multipliedReportingOverflow(by: quote.count - 1)
        let (sum, isOverflowing) = more.addingReportingOverflow(evenMore)
        let (length, isLong) = sum.addingReportingOverflow(bytes.count)
        return isTooMuch || isFarTooMuch || isOverflowing || isLong ? nil : length
    }

    func append(_ bytes: some Collection<UInt8>, to out: inout [UInt8]) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "&"): out.append(contentsOf: ampersand)
            case UInt8(ascii: "\""): out.append(contentsOf: quote)
            default: out.append(byte)
            }
        }
    }
}
