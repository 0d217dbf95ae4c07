public import Capture
import Egress
public import Foundation
public import Loading

/// A request to capture a page in some formats.
public struct CaptureRequest: Hashable, Codable, Sendable {
    /// The page's URL.
    public var url: URL
    /// The formats to capture.
    public var formats: Set<PageFormat>

    /// Creates a request.
    public init(url: URL, formats: Set<PageFormat>) {
        self.url = url
        self.formats = formats
    }
}

/// A page in the library: saved, being captured, or failed.
public struct SavedPage: Identifiable, Hashable, Sendable {
    /// Identifies a page; pages with the same URL have different identifiers.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        private let uuid: UUID

        /// Lower-case letters, digits and hyphens.
        public var description: String { uuid.uuidString.lowercased() }

        /// Creates a new identifier.
        public init() {
            self.uuid = UUID()
        }

        /// Parses an identifier; `nil` if the text isn't one.
        public init?(_ text: String) {
            guard let uuid = UUID(uuidString: text) else { return nil }
            self.uuid = uuid
        }
    }

    /// The state of a capture, as in the fetch state machine.
    public typealias State = LoadingState<CaptureRequest, PageContent, CaptureFailure>

    /// The page's identifier.
    public let id: ID
    /// The captured URL and formats.
    public var request: CaptureRequest
    /// When the capture was requested; for an imported page, when it was bookmarked.
    public var requestedAt: Date
    /// The number of capture attempts so far, including the current one.
    public var attempt: Int
    /// The state of the capture.
    public var state: State
    /// When the page was deleted, after which it can be restored for a while; `nil` if it wasn't deleted.
    public var deletedAt: Date?
    /// The title that an import gives the page, until it is saved; empty if there is none.
    public var givenTitle = ""
    /// The star, tags and note.
    public var marks: PageMarks
    /// How far the page has been read in each view.
    public var positions: [ReadingView: ReadingPosition] = [:]

    /// The same page with a new identifier.
    public func renamed() -> SavedPage {
        var page = SavedPage(
            request: request, requestedAt: requestedAt, attempt: attempt, state: state, deletedAt: deletedAt,
            marks: marks)
        (page.givenTitle, page.positions) = (givenTitle, positions)
        return page
    }

    /// Creates a page.
    public init(
        id: ID = ID(), request: CaptureRequest, requestedAt: Date, attempt: Int = 1,
        state: State, deletedAt: Date? = nil, marks: PageMarks = PageMarks()
    ) {
        self.id = id
        self.request = request
        self.requestedAt = requestedAt
        self.attempt = attempt
        self.state = state
        self.deletedAt = deletedAt
        self.marks = marks
    }
}

/// The stored content of a page.
public struct PageContent: Hashable, Sendable {
    /// The maximum length of a title, in Unicode scalars.
    public static let maximumTitleLength = 1_000

    /// The page's title; empty if it has none.
    ///
    /// The initializer collapses white space and truncates the title to ``maximumTitleLength``, so that lists need not.
    public var title: String
    /// The final URL, after redirects.
    public var url: URL
    /// The HTTP status; `nil` if there was none.
    public var httpStatus: Int?
    /// When it was captured.
    public var capturedAt: Date
    /// Notes about the capture for the reader, as sentences.
    public var warnings: [String]
    /// Whether nothing is missing from the copy; `nil` for a page of an earlier version, which didn't record it.
    public var isComplete: Bool?
    /// The size of each file, in bytes.
    public var sizes: [FileKind: Int]

    /// Creates the content of a page.
    public init(
        title: String, url: URL, httpStatus: Int?, capturedAt: Date, warnings: [String], isComplete: Bool? = nil,
        sizes: [FileKind: Int]
    ) {
        self.title = Self.shortened(title)
        self.url = url
        self.httpStatus = httpStatus
        self.capturedAt = capturedAt
        self.warnings = warnings
        self.isComplete = isComplete
        self.sizes = sizes
    }

    /// The HTTP status if the server sent an error page in place of the page; `nil` otherwise.
    public var errorStatus: Int? { httpStatus.flatMap { $0 >= 400 ? $0 : nil } }

    /// Puts a title on one line, reading no further than needed.
    private static func shortened(_ title: String) -> String {
        if isPlain(title) { return title }
        var short = String.UnicodeScalarView()
        var (count, isSpaceDue) = (0, false)
        for scalar in title.unicodeScalars {
            if scalar.properties.isWhitespace {
                isSpaceDue = count > 0
                continue
            }
            // One scalar is reserved for the ellipsis.
            guard count + (isSpaceDue ? 2 : 1) < maximumTitleLength else {
                short.append("…")
                break
            }
            if isSpaceDue {
                short.append(" ")
                count += 1
                isSpaceDue = false
            }
            short.append(scalar)
            count += 1
        }
        return String(short)
    }

    /// Whether a title is short and has no other white space than single spaces between words, as far as a look at its
    /// bytes tells: that takes a fraction of the time.
    private static func isPlain(_ title: String) -> Bool {
        guard title.utf8.count <= maximumTitleLength else { return false }
        var previous = UInt8(ascii: " ")
        for byte in title.utf8 {
            // White space beyond ASCII has bytes from 0x80.
            guard 0x20..<0x7F ~= byte, byte != 0x20 || previous != 0x20 else { return false }
            previous = byte
        }
        return previous != 0x20 || title.isEmpty
    }

    /// Creates the content of a capture.
    public init(_ capture: PageCapture, capturedAt: Date) {
        var sizes: [FileKind: Int] = [:]
        for (format, data) in capture.data { sizes[FileKind(format)] = data.count }
        if let thumbnail = capture.thumbnail { sizes[.thumbnail] = thumbnail.count }
        if let text = capture.text { sizes[.text] = text.utf8.count }
        self.init(
            title: capture.title, url: capture.url, httpStatus: capture.httpStatus, capturedAt: capturedAt,
            warnings: capture.warnings.map(\.message), isComplete: capture.isComplete, sizes: sizes)
    }
}

/// The kind of a file of a saved page.
public enum FileKind: String, CaseIterable, Codable, Hashable, Sendable {
    case png, pdf
    case webArchive = "webarchive"
    case wacz
    /// A small image of the top of the page, as PNG.
    case thumbnail
    /// The text that the page shows, as UTF-8; of pages that earlier versions saved, it is made on first use.
    case text
    /// The web archive as a single HTML page, to download.
    ///
    /// Earlier versions showed it, too, and stored it as `viewer`.
    case html = "viewer"
    /// The same page for display in a frame: its links lead into the library.
    case viewer = "framed"
    /// The page's article as an HTML page for display in a frame; empty if the page has none.
    case article

    /// Whether a file of this kind is made from the page's archive, when it's first needed.
    var isMadeFromArchive: Bool { [.html, .viewer, .article, .text].contains(self) }

    /// The file kind of a format.
    public init(_ format: PageFormat) {
        switch format {
        case .png: self = .png
        case .pdf: self = .pdf
        case .webArchive: self = .webArchive
        case .wacz: self = .wacz
        }
    }
}

/// The progress of a capture.
public enum CapturePhase: Hashable, Sendable {
    /// The browser is at work.
    case capturing(CaptureProgress)
    /// The files are being stored.
    case storing
}

/// The reason why a page couldn't be captured.
public struct CaptureFailure: Error, Hashable, Codable, Sendable {
    /// A machine-readable code.
    public var code: String
    /// A message for the user: what failed and what to do.
    public var message: String
    /// Whether a retry may succeed.
    public var canRetry: Bool

    /// Creates a failure.
    public init(code: String, message: String, canRetry: Bool = true) {
        self.code = code
        self.message = message
        self.canRetry = canRetry
    }
}

extension CaptureFailure {
    /// Creates a failure from a capture error.
    public init(_ error: CaptureError) {
        let hopeless: Set<CaptureError.Code> = [.invalidAddress, .unsupportedScheme, .download]
        var message = error.refusal.flatMap { refusal in
            refusal.allowOption.map { LibraryWords.addressRefused(because: refusal.reason, allowOption: $0) }
        }
        if let timeout = error.exceededTimeout {
            message = LibraryWords.tookTooLong(
                because: error.message, suggestedTimeout: CaptureOptions.suggestedTimeout(after: timeout))
        }
        self.init(
            code: "\(error.code)", message: message ?? error.message, canRetry: !hopeless.contains(error.code))
    }

    /// The user stopped the capture.
    public static let stopped = CaptureFailure(code: "stopped", message: LibraryWords.stopped)
}
