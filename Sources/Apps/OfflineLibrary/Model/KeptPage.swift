public import Capture
import Egress
public import Foundation
public import Loading

/// What is asked of the web: a page, and in which formats it is to be kept.
public struct CaptureRequest: Hashable, Codable, Sendable {
    /// The page's address.
    public var url: URL
    /// What is to be made of it.
    public var formats: Set<PageFormat>

    /// Creates a request.
    public init(url: URL, formats: Set<PageFormat>) {
        self.url = url
        self.formats = formats
    }
}

/// A page in the library: kept, on its way, or failed.
public struct KeptPage: Identifiable, Hashable, Sendable {
    /// What tells pages apart, also those of the same address.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// Lower-case letters, digits and hyphens.
        public let description: String

        /// Makes a new one.
        public init() {
            self.description = UUID().uuidString.lowercased()
        }

        /// Reads one; `nil` if it is none.
        public init?(_ text: String) {
            guard let uuid = UUID(uuidString: text) else { return nil }
            self.description = uuid.uuidString.lowercased()
        }
    }

    /// What becomes of a request: the fetch state machine's state.
    public typealias State = LoadingState<CaptureRequest, PageContent, CaptureFailure>

    /// What tells it apart.
    public let id: ID
    /// What was asked for.
    public var request: CaptureRequest
    /// When it was asked for.
    public var requestedAt: Date
    /// How often its capture has been begun, this time included.
    public var attempt: Int
    /// What has become of it.
    public var state: State
    /// When it was deleted, if it was: it can be brought back for a while.
    public var deletedAt: Date?

    /// Creates a page.
    public init(
        id: ID = ID(), request: CaptureRequest, requestedAt: Date, attempt: Int = 1,
        state: State, deletedAt: Date? = nil
    ) {
        self.id = id
        self.request = request
        self.requestedAt = requestedAt
        self.attempt = attempt
        self.state = state
        self.deletedAt = deletedAt
    }
}

/// What is kept of a page.
public struct PageContent: Hashable, Sendable {
    /// How long a title may be, in Unicode scalars.
    public static let maximumTitleLength = 1_000

    /// The page's title; empty if it has none.
    ///
    /// The initializer collapses its white space and cuts it to ``maximumTitleLength``, so that a list that shows it doesn't
    /// have to.
    public var title: String
    /// The address that it had in the end, after redirects.
    public var url: URL
    /// The HTTP status; `nil` where there was none.
    public var httpStatus: Int?
    /// When it was captured.
    public var capturedAt: Date
    /// What a person should know about it, in sentences.
    public var warnings: [String]
    /// How large each file is, in bytes.
    public var sizes: [FileKind: Int]

    /// Creates a description.
    public init(
        title: String, url: URL, httpStatus: Int?, capturedAt: Date, warnings: [String], sizes: [FileKind: Int]
    ) {
        self.title = Self.shortened(title)
        self.url = url
        self.httpStatus = httpStatus
        self.capturedAt = capturedAt
        self.warnings = warnings
        self.sizes = sizes
    }

    /// A title on one line; reads no further than it has room for.
    private static func shortened(_ title: String) -> String {
        var short = String.UnicodeScalarView()
        var (count, isSpaceDue) = (0, false)
        for scalar in title.unicodeScalars {
            if scalar.properties.isWhitespace {
                isSpaceDue = count > 0
                continue
            }
            // One scalar of room stays for the ellipsis.
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

    /// Describes a capture.
    public init(_ capture: PageCapture, capturedAt: Date) {
        var sizes: [FileKind: Int] = [:]
        for (format, data) in capture.data { sizes[FileKind(format)] = data.count }
        if let thumbnail = capture.thumbnail { sizes[.thumbnail] = thumbnail.count }
        self.init(
            title: capture.title, url: capture.url, httpStatus: capture.httpStatus, capturedAt: capturedAt,
            warnings: capture.warnings.map(\.message), sizes: sizes)
    }
}

/// What a file of a kept page is.
public enum FileKind: String, CaseIterable, Hashable, Sendable {
    case png, pdf
    case webArchive = "webarchive"
    /// A small picture of the page's beginning, a PNG.
    case thumbnail
    /// The web archive as one page of HTML, to be shown in a frame.
    case viewer

    /// What a format's file is.
    public init(_ format: PageFormat) {
        switch format {
        case .png: self = .png
        case .pdf: self = .pdf
        case .webArchive: self = .webArchive
        }
    }
}

/// How far a capture is.
public enum CapturePhase: Hashable, Sendable {
    /// The browser is at work.
    case capturing(CaptureProgress)
    /// The files are being written.
    case keeping
}

/// Why a page could not be captured.
public struct CaptureFailure: Error, Hashable, Codable, Sendable {
    /// A word for programs.
    public var code: String
    /// What happened, to what, and what to do, in sentences.
    public var message: String
    /// Whether the same might go well another time.
    public var canRetry: Bool

    /// Creates a failure.
    public init(code: String, message: String, canRetry: Bool = true) {
        self.code = code
        self.message = message
        self.canRetry = canRetry
    }
}

extension CaptureFailure {
    /// A capture's error.
    public init(_ error: CaptureError) {
        let hopeless: Set<CaptureError.Code> = [.invalidAddress, .unsupportedScheme, .download]
        // Whoever reads it is at the server's pages, not at its command line.
        let message = error.refusal.flatMap { refusal in
            refusal.allowance.map {
                "\(refusal.reason) To save it all the same, start Meanwhile with: script/server \($0)"
            }
        }
        self.init(
            code: "\(error.code)", message: message ?? error.message, canRetry: !hopeless.contains(error.code))
    }

    /// Somebody stopped it.
    public static let stopped = CaptureFailure(code: "stopped", message: "You stopped this before it was done.")
}
