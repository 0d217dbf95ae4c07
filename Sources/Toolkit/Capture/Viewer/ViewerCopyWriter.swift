import Foundation

/// Puts a viewer copy together from what the scripts wrote.
struct ViewerCopyWriter {
    /// A frame's document.
    struct Document {
        var template: ViewerTemplate
        var isQuirky: Bool
    }

    /// Forbids a copy everything but what is in it, wherever it is opened.
    static let policy =
        "default-src 'none'; img-src data:; style-src 'unsafe-inline' data:; font-src data:; media-src data:; "
        + "frame-src 'self' data:; form-action 'none'"

    /// How deep style sheets may import each other, and how many may be put in: sheets that import each other twice over
    /// are many in the end.
    private static let importDepth = 32
    private static let importLimit = 2_000
    /// What Chromium opens as a frame's address, in bytes.
    private static let frameAddressLimit = 2 << 20

    private let resources: [String: WebArchive.Resource]
    private let documents: [String: Document]
    private let styleSheets: [String: ViewerTemplate]
    private let limit: Int
    /// How much has been written, and is on its way to be.
    private var written = 0
    private var imports = 0
    private var addresses: [String: [UInt8]] = [:]
    /// The names of what the document at hand has in variables.
    private var variables: [String: String] = [:]

    /// - Parameters:
    ///   - resources: By address.
    ///   - documents: By the numbers of their frames.
    ///   - styleSheets: By address.
    ///   - limit: How large the copy may be, in bytes.
    init(
        resources: [String: WebArchive.Resource], documents: [String: Document], styleSheets: [String: ViewerTemplate],
        limit: Int
    ) {
        self.resources = resources
        self.documents = documents
        self.styleSheets = styleSheets
        self.limit = limit
    }

    /// The copy, or `nil` where the documents alone are larger than it may be.
    mutating func copy(of frame: String) -> Data? {
        var out: [UInt8] = []
        guard write(frame, depth: 0, to: &out) else { return nil }
        return Data(out)
    }
}

// MARK: - Documents

extension ViewerCopyWriter {
    /// Writes a document that stands in so many `srcdoc` attributes, as far as there is room.
    private mutating func write(_ frame: String, depth: Int, to out: inout [UInt8]) -> Bool {
        guard let document = documents[frame] else { return true }
        let outer = variables
        defer { variables = outer }
        let shared = shared(in: document.template)
        variables = shared.names
        let escape = Escape(depth: depth)
        for piece in document.template.pieces {
            switch piece {
            case .text(let text):
                append(text, escape, to: &out)
            case .place(.head, _):
                append(head(shared.addresses, isWritten: depth > 0)[...], escape, to: &out)
            case .place(.frame, let child):
                guard write(frame: child, depth: depth, escape, to: &out) else { return false }
            case .place(.frameAddress, let child):
                if let address = frameAddress(of: child) { append(address[...], escape, to: &out) }
            case .place(let kind, let address):
                append(content(kind, address, below: [])[...], to: &out)
            }
            guard written <= limit else { return false }
        }
        return true
    }

    private mutating func write(
        frame: String, depth: Int, _ escape: Escape, to out: inout [UInt8]
    ) -> Bool {
        // Documents in `srcdoc` are never quirky.
        if documents[frame]?.isQuirky == true, let address = frameAddress(of: frame) {
            append(address[...], escape, to: &out)
            return true
        }
        append(Array(" srcdoc=\"".utf8)[...], escape, to: &out)
        guard write(frame, depth: depth + 1, to: &out) else { return false }
        append(Array("\"".utf8)[...], escape, to: &out)
        return true
    }

    private mutating func frameAddress(of frame: String) -> [UInt8]? {
        let before = written
        defer { written = before }
        var html: [UInt8] = []
        guard write(frame, depth: 0, to: &html) else { return nil }
        let address = DataAddress.ofText(html, type: "text/html")
        guard address.count <= Self.frameAddressLimit else { return nil }
        return Array(" src=\"".utf8) + address + Array("\"".utf8)
    }

    /// What comes first in a head.
    ///
    /// Without a base, links to places in the document of a `srcdoc` lead to places of the document that it stands in.
    private mutating func head(_ shared: [String], isWritten: Bool) -> [UInt8] {
        var head = Array(
            "<meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"\(Self.policy)\">"
                .utf8)
        head += Array("<meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">".utf8)
        if isWritten { head += Array("<base href=\"about:srcdoc\">".utf8) }
        guard !shared.isEmpty else { return head }
        head += Array("<style>:root{".utf8)
        for address in shared {
            guard let name = variables[address] else { continue }
            head += Array("\(name):url(".utf8) + dataAddress(of: address, room: limit - written - head.count)
            head += Array(");".utf8)
        }
        return head + Array("}</style>".utf8)
    }

    /// What a document shows more than once, and the variables that hold it.
    private func shared(in template: ViewerTemplate) -> (addresses: [String], names: [String: String]) {
        var templates = [template]
        var seen: Set<String> = []
        var waiting = template.references(.styleSheet)
        while let address = waiting.popLast() {
            guard seen.insert(address).inserted, let sheet = styleSheets[address] else { continue }
            templates.append(sheet)
            waiting += sheet.references(.styleSheet)
        }
        var addresses: [String] = []
        var counts: [String: Int] = [:]
        for template in templates {
            for case .place(let kind, let address) in template.pieces where kind == .variable || kind == .image {
                if counts[address] == nil { addresses.append(address) }
                counts[address, default: 0] += kind == .variable ? 2 : 1
            }
        }
        addresses.removeAll { counts[$0, default: 0] < 2 }
        guard !addresses.isEmpty else { return ([], [:]) }
        var prefix = "--kept"
        while templates.contains(where: { $0.contains(prefix) }) { prefix += "-x" }
        let names = addresses.enumerated().map { ($1, "\(prefix)\($0)") }
        return (addresses, Dictionary(names) { first, _ in first })
    }
}

// MARK: - What is put in

extension ViewerCopyWriter {
    /// What stands at a place, in style sheets of which each is imported by the one before.
    private mutating func content(_ kind: ViewerTemplate.Kind, _ address: String, below importers: [String]) -> [UInt8]
    {
        switch kind {
        case .styleSheet:
            return styleSheetAddress(of: address, below: importers)
        case .image, .variable:
            if let name = variables[address] { return Array("var(\(name))".utf8) }
            return Array("url(".utf8) + dataAddress(of: address, room: limit - written) + Array(")".utf8)
        case .resource, .head, .frame, .frameAddress:
            return dataAddress(of: address, room: limit - written)
        }
    }

    /// A resource's address; what there is no room for is left out.
    private mutating func dataAddress(of address: String, room: Int) -> [UInt8] {
        if let known = addresses[address] { return known.count <= room ? known : DataAddress.empty }
        guard let resource = resources[address], resource.data.count / 3 * 4 <= room else { return DataAddress.empty }
        let made = DataAddress.ofResource(resource)
        addresses[address] = made
        return made.count <= room ? made : DataAddress.empty
    }

    private mutating func styleSheetAddress(of address: String, below importers: [String]) -> [UInt8] {
        imports += 1
        guard let sheet = styleSheets[address], !importers.contains(address), importers.count < Self.importDepth,
            imports <= Self.importLimit
        else { return Array("data:text/css,".utf8) }
        let before = written
        defer { written = before }
        var css: [UInt8] = []
        for piece in sheet.pieces {
            switch piece {
            case .text(let text): append(text, to: &css)
            case .place(let kind, let what):
                append(content(kind, what, below: importers + [address])[...], to: &css)
            }
        }
        let made = DataAddress.ofText(css, type: "text/css")
        return before + made.count <= limit ? made : Array("data:text/css,".utf8)
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>, to out: inout [UInt8]) {
        written += bytes.count
        out.append(contentsOf: bytes)
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>, _ escape: Escape, to out: inout [UInt8]) {
        let before = out.count
        escape.append(bytes, to: &out)
        written += out.count - before
    }
}

/// Writes what stands in attributes in attributes, so many times over.
private struct Escape {
    private let ampersand: [UInt8]
    private let quote: [UInt8]
    private let isNeeded: Bool

    init(depth: Int) {
        self.isNeeded = depth > 0
        self.ampersand = Array(("&" + String(repeating: "amp;", count: depth)).utf8)
        self.quote = Array(("&" + String(repeating: "amp;", count: max(depth - 1, 0)) + "quot;").utf8)
    }

    func append(_ bytes: ArraySlice<UInt8>, to out: inout [UInt8]) {
        guard isNeeded else {
            out.append(contentsOf: bytes)
            return
        }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "&"): out.append(contentsOf: ampersand)
            case UInt8(ascii: "\""): out.append(contentsOf: quote)
            default: out.append(byte)
            }
        }
    }
}
