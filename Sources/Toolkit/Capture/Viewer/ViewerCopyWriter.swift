import Foundation

/// Assembles a viewer copy from the templates that the scripts created.
///
/// The page determines the amount of work: frames can contain frames, style sheets can import style sheets, and each
/// level escapes its content once more. Three limits apply to any page: the copy's size is limited by `limit`, the size
/// of all discarded attempts by a multiple of it, and `isCancelled` is checked before each piece.
struct ViewerCopyWriter {
    /// The document of a frame.
    struct Document {
        var template: ViewerTemplate
        var isQuirky: Bool
    }

    /// The reason why no copy was created.
    enum Failure: Error {
        /// The documents alone, without any resource, exceed the copy's size limit.
        case tooLarge
        case cancelled
    }

    /// Restricts a copy to its own content, wherever it's opened.
    static let policy =
        "default-src 'none'; img-src data:; style-src 'unsafe-inline' data:; font-src data:; media-src data:; "
        + "frame-src 'self' data:; form-action 'none'"

    /// The maximum depth of imports, and the maximum number of embedded style sheets.
    ///
    /// Sheets that import each other twice grow exponentially with depth.
    static let importDepth = 32
    private static let importLimit = 2_000
    /// The maximum nesting of frames; deeper frames are left out.
    private static let frameDepth = 200
    /// The maximum length of a frame's URL that Chromium opens, in bytes.
    private static let frameAddressLimit = 2 << 20
    /// The maximum length of a path with the URL of a link, so that proxies accept it.
    private static let longestPath = 4000

    private let resources: [String: WebArchive.Resource]
    private let documents: [String: Document]
    private let styleSheets: [String: ViewerTemplate]
    private let limit: Int
    /// The path that each link's URL is appended to; `nil` if links lead to their URLs directly.
    private let linkPath: String?
    private let isCancelled: () -> Bool
    /// The number of bytes that may still be written to style sheets, and to frames that are tried as URLs: such output
    /// may be discarded.
    private var discardableBytes: Int
    private var imports = 0
    private var addresses: [String: [UInt8]] = [:]
    /// The URLs of the frames that were attempted, each once; `nil` for URLs that are too long.
    private var frameAddresses: [String: [UInt8]?] = [:]
    private var sheetUses: [String: Uses] = [:]
    /// The frames whose documents are being written, each nested in the previous one.
    ///
    /// A page's frames form a tree. Without this check, a quirky frame that contains itself would be attempted as a
    /// URL, and then written as text, at each of ``frameDepth`` levels.
    private var openFrames: Set<String> = []
    /// The prefix of variable names, once one is needed.
    private var variablePrefix: String?
    /// The names of the current document's variables, by URL.
    private var variables: [String: String] = [:]

    /// Resources and style sheets are keyed by URL, documents by the IDs of their frames; the limit is in bytes.
    init(
        resources: [String: WebArchive.Resource], documents: [String: Document], styleSheets: [String: ViewerTemplate],
        limit: Int, linkPath: String? = nil, isCancelled: @escaping () -> Bool = { false }
    ) {
        self.resources = resources
        self.documents = documents
        self.styleSheets = styleSheets
        self.limit = limit
        self.linkPath = linkPath
        self.isCancelled = isCancelled
        let (product, isOverflowing) = limit.multipliedReportingOverflow(by: 4)
        self.discardableBytes = isOverflowing ? .max : product
    }

    /// Creates the copy.
    mutating func copy(of frame: String) throws(Failure) -> Data {
        var out = Output(remaining: limit, omitsLargeResources: true)
        try write(frame, depth: 0, nesting: 0, isOnSite: true, to: &out)
        return Data(out.bytes)
    }

    private func checkCancellation() throws(Failure) {
        if isCancelled() { throw .cancelled }
    }
}

extension CharacterSet {
    fileprivate static let alphanumericsOfASCII = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")
}

/// A buffer with a maximum size.
private struct Output {
    private(set) var bytes: [UInt8] = []
    /// The number of bytes that may still be appended.
    private(set) var remaining: Int
    /// Whether a resource that doesn't fit is omitted; otherwise appending it fails, and the whole output is discarded.
    let omitsLargeResources: Bool

    init(remaining: Int, omitsLargeResources: Bool) {
        self.remaining = remaining
        self.omitsLargeResources = omitsLargeResources
    }

    mutating func append(_ more: some Collection<UInt8>) throws(ViewerCopyWriter.Failure) {
        guard more.count <= remaining else { throw .tooLarge }
        remaining -= more.count
        bytes.append(contentsOf: more)
    }

    mutating func append(_ text: String) throws(ViewerCopyWriter.Failure) { try append(text.utf8) }

    mutating func append(_ more: some Collection<UInt8>, _ escape: Escape) throws(ViewerCopyWriter.Failure) {
        guard escape.isNeeded else { return try append(more) }
        // Checked before writing, because at a depth of 200 one byte becomes 800.
        guard more.count <= remaining, let length = escape.length(of: more), length <= remaining else {
            throw .tooLarge
        }
        remaining -= length
        escape.append(more, to: &bytes)
    }
}

// MARK: - Documents

extension ViewerCopyWriter {
    /// Writes a frame's document, nested in `depth` `srcdoc` attributes and `nesting` frames.
    ///
    /// `isOnSite` says whether paths in it are those of the site that shows the copy: a document in `srcdoc` has the
    /// base URL of the document around it, and one in a `data:` URL has none.
    private mutating func write(
        _ frame: String, depth: Int, nesting: Int, isOnSite: Bool, to out: inout Output
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
        let linkPath = isOnSite ? linkPath : nil
        // A base URL of its own would make paths lead nowhere, so the links within such a document name it.
        let ownAddress = depth > 0 && linkPath != nil ? Self.nestedAddress : ""
        for piece in document.template.pieces {
            try checkCancellation()
            switch piece {
            case .text(let text):
                try out.append(text, escape)
            case .placeholder(.head, _):
                let base = depth > 0 && linkPath == nil ? Self.nestedAddress : nil
                try writeHead(shared.addresses, base: base, escape, to: &out)
            case .placeholder(.link, let address):
                try out.append(Self.link(to: address, by: linkPath).utf8, escape)
            case .placeholder(.ownAddress, _):
                try out.append(ownAddress.utf8, escape)
            case .placeholder(.frame, let child):
                try write(frame: child, depth: depth, nesting: nesting + 1, isOnSite: isOnSite, escape, to: &out)
            case .placeholder(.frameAddress, let child):
                if let address = try frameAddress(of: child, nesting: nesting + 1), address.count <= out.remaining {
                    try out.append(address, escape)
                }
            case .placeholder(let kind, let address):
                try write(kind, address, below: [], to: &out)
            }
        }
    }

    private mutating func write(
        frame: String, depth: Int, nesting: Int, isOnSite: Bool, _ escape: Escape, to out: inout Output
    ) throws(Failure) {
        guard nesting <= Self.frameDepth, !openFrames.contains(frame) else { return }
        // Documents in `srcdoc` are never in quirks mode.
        if documents[frame]?.isQuirky == true, let address = try frameAddress(of: frame, nesting: nesting),
            address.count <= out.remaining
        {
            return try out.append(address, escape)
        }
        try out.append(" srcdoc=\"".utf8, escape)
        try write(frame, depth: depth + 1, nesting: nesting, isOnSite: isOnSite, to: &out)
        try out.append("\"".utf8, escape)
    }

    /// The attribute that contains a frame's document as a URL; `nil` if the URL is too long.
    private mutating func frameAddress(of frame: String, nesting: Int) throws(Failure) -> [UInt8]? {
        guard nesting <= Self.frameDepth, !openFrames.contains(frame) else { return nil }
        if let known = frameAddresses[frame] { return known }
        var html = Output(remaining: min(Self.frameAddressLimit, discardableBytes), omitsLargeResources: false)
        var attribute: [UInt8]?
        do {
            try write(frame, depth: 0, nesting: nesting, isOnSite: false, to: &html)
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
        discardableBytes = max(0, discardableBytes - bytes)
    }

    /// The URL of a document in a `srcdoc` attribute.
    private static let nestedAddress = "about:srcdoc"

    /// The value of a link's `href`, as an attribute contains it.
    private static func link(to address: String, by linkPath: String?) -> String {
        if let linkPath, let encoded = address.addingPercentEncoding(withAllowedCharacters: .alphanumericsOfASCII),
            linkPath.utf8.count + encoded.utf8.count <= longestPath
        {
            return linkPath + encoded
        }
        return address.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
    }

    /// Writes the beginning of a head.
    ///
    /// Without a `base` element, a fragment alone in a `srcdoc` document would lead to the document that contains it.
    private mutating func writeHead(
        _ shared: [String], base: String?, _ escape: Escape, to out: inout Output
    ) throws(Failure) {
        try out.append(
            "<meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"\(Self.policy)\">".utf8,
            escape)
        try out.append("<meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">".utf8, escape)
        if let base { try out.append("<base href=\"\(base)\">".utf8, escape) }
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
    /// The pictures that a document or style sheet uses where a variable is possible, in order, and the style sheets
    /// that it imports.
    private struct Uses {
        var pictures: [(address: String, count: Int)] = []
        var styleSheets: [String]

        init(_ template: ViewerTemplate) {
            var places: [String: Int] = [:]
            for case .placeholder(let kind, let address) in template.pieces
            where kind == .sharedPicture || kind == .urlValue {
                let place = places[address] ?? pictures.count
                if place == pictures.count {
                    places[address] = place
                    pictures.append((address, 0))
                }
                pictures[place].count += kind == .sharedPicture ? 2 : 1
            }
            styleSheets = template.references(.styleSheet)
        }
    }

    /// The pictures that a document uses more than once, and the names of their variables.
    private mutating func shared(in template: ViewerTemplate) -> (addresses: [String], names: [String: String]) {
        var all = [Uses(template)]
        var seen: Set<String> = []
        var waiting = all[0].styleSheets
        while let address = waiting.popLast(), discardableBytes > 0 {
            guard seen.insert(address).inserted, let sheet = styleSheets[address] else { continue }
            let uses = sheetUses[address] ?? Uses(sheet)
            sheetUses[address] = uses
            // Every document processes all its sheets again.
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

    /// A prefix that no variable of the page has: `--kept` with the first unused number.
    private func unusedPrefix() -> String {
        let templates = documents.values.map(\.template) + styleSheets.values
        let taken = templates.reduce(into: Set<Int>()) { $0.formUnion($1.numbers(after: "--kept")) }
        return "--kept\((0...taken.count).first { !taken.contains($0) } ?? taken.count)-"
    }
}

// MARK: - Placeholders

extension ViewerCopyWriter {
    /// Writes the content of a placeholder.
    ///
    /// `importers` are the style sheets that import the current one, the outermost first.
    private mutating func write(
        _ kind: ViewerTemplate.Kind, _ address: String, below importers: [String], to out: inout Output
    ) throws(Failure) {
        switch kind {
        case .styleSheet:
            try out.append(try styleSheetAddress(of: address, below: importers, in: out))
        case .urlValue, .sharedPicture:
            if let name = variables[address] { return try out.append("var(\(name))") }
            try out.append("url(")
            try out.append(dataAddress(of: address, in: out))
            try out.append(")")
        case .resource, .head, .frame, .frameAddress, .link, .ownAddress:
            try out.append(dataAddress(of: address, in: out))
        }
    }

    /// The `data:` URL of a resource, or an empty one if the resource doesn't fit.
    private mutating func dataAddress(of address: String, in out: Output) -> [UInt8] {
        // If nothing may be left out, the URL is returned regardless of its length, and appending it fails.
        let remaining = out.omitsLargeResources ? out.remaining : limit
        if let known = addresses[address] { return known.count <= remaining ? known : DataAddress.empty }
        guard let resource = resources[address], resource.data.count / 3 * 4 <= remaining else {
            return DataAddress.empty
        }
        let dataAddress = DataAddress.ofResource(resource)
        addresses[address] = dataAddress
        return dataAddress.count <= remaining ? dataAddress : DataAddress.empty
    }

    private mutating func styleSheetAddress(
        of address: String, below importers: [String], in out: Output
    ) throws(Failure) -> [UInt8] {
        let nothing = Array("data:text/css,".utf8)
        imports += 1
        guard let sheet = styleSheets[address], !importers.contains(address), importers.count < Self.importDepth,
            imports <= Self.importLimit
        else { return nothing }
        var css = Output(remaining: min(out.remaining, discardableBytes), omitsLargeResources: out.omitsLargeResources)
        do {
            defer { spend(css.bytes.count) }
            for piece in sheet.pieces {
                try checkCancellation()
                switch piece {
                case .text(let text): try css.append(text)
                case .placeholder(let kind, let reference):
                    try write(kind, reference, below: importers + [address], to: &css)
                }
            }
        } catch .tooLarge where out.omitsLargeResources {
            return nothing
        }
        let dataAddress = DataAddress.ofText(css.bytes, type: "text/css")
        return dataAddress.count <= out.remaining || !out.omitsLargeResources ? dataAddress : nothing
    }
}

/// Escapes text for an attribute, nested in `depth` attributes.
private struct Escape {
    private let ampersand: [UInt8]
    private let quote: [UInt8]
    let isNeeded: Bool

    init(depth: Int) {
        self.isNeeded = depth > 0
        self.ampersand = Array(("&" + String(repeating: "amp;", count: depth)).utf8)
        self.quote = Array(("&" + String(repeating: "amp;", count: max(depth - 1, 0)) + "quot;").utf8)
    }

    /// The number of bytes after escaping; `nil` on overflow.
    func length(of bytes: some Collection<UInt8>) -> Int? {
        var (ampersands, quotes) = (0, 0)
        for byte in bytes {
            if byte == UInt8(ascii: "&") { ampersands += 1 }
            if byte == UInt8(ascii: "\"") { quotes += 1 }
        }
        let (ampersandBytes, ampersandsOverflow) = ampersands.multipliedReportingOverflow(by: ampersand.count - 1)
        let (quoteBytes, quotesOverflow) = quotes.multipliedReportingOverflow(by: quote.count - 1)
        let (sum, sumOverflows) = ampersandBytes.addingReportingOverflow(quoteBytes)
        let (length, lengthOverflows) = sum.addingReportingOverflow(bytes.count)
        return ampersandsOverflow || quotesOverflow || sumOverflows || lengthOverflows ? nil : length
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
