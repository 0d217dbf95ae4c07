import Capture
import Egress
import Foundation

/// The output of `meanwhile capture --json` for one page: a JSON object on one line.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct CaptureReport: Codable, Sendable {
    static let currentVersion = 1

    struct File: Codable, Sendable {
        var format: PageFormat
        var path: String
        var bytes: Int
    }

    struct Warning: Codable, Sendable {
        var kind: PageCapture.Warning.Kind
        var message: String
    }

    struct Resource: Codable, Sendable {
        var url: String
        var mediaType: String?
        var status: Int?
        var bytes: Int?
        /// Why the resource is missing from the page or its archive.
        var missing: String?
    }

    struct Refused: Codable, Sendable {
        var host: String
        var port: Int
        var address: String
        /// The address range that contains the address.
        var range: String
        /// The argument of `--allow` that would allow it; `nil` if none does.
        var allow: String?
    }

    var version = currentVersion
    /// `kept` or `failed`.
    var outcome: String
    /// The address as the user gave it.
    var address: String
    var url: String?
    var title: String?
    var httpStatus: Int?
    /// In CSS pixels.
    var width: Int?
    var height: Int?
    var readiness: PageCapture.Readiness?
    var seconds: Double?
    var files: [File] = []
    var resources: [Resource] = []
    /// The page's requests to addresses that are not allowed.
    var refused: [Refused] = []
    var warnings: [Warning] = []
    /// Whether nothing is missing from the page and its files.
    var complete: Bool?
    var error: CommandFailure?

    init(_ page: Reporter.Page, _ capture: PageCapture, files: [(PageFormat, String, Int)]) {
        self.outcome = "kept"
        self.address = page.address
        self.url = capture.url.absoluteString
        self.title = capture.title
        self.httpStatus = capture.httpStatus
        self.width = capture.contentSize.width
        self.height = capture.contentSize.height
        self.readiness = capture.readiness
        let duration = capture.duration.components
        self.seconds = Double(duration.seconds) + (Double(duration.attoseconds) * 1e-18 * 1000).rounded() / 1000
        self.files = files.map { File(format: $0, path: $1, bytes: $2) }
        self.resources = capture.resources.map {
            Resource(url: $0.url, mediaType: $0.mediaType, status: $0.status, bytes: $0.byteCount, missing: $0.missing)
        }
        self.refused = capture.refusals.map {
            Refused(
                host: $0.host, port: $0.port, address: "\($0.address)", range: $0.rule.range, allow: $0.allowOption)
        }
        self.complete = capture.isComplete
        self.warnings = capture.warnings.map { Warning(kind: $0.kind, message: $0.message) }
    }

    init(_ page: Reporter.Page, code: String, message: String) {
        self.outcome = "failed"
        self.address = page.address
        self.error = CommandFailure(code: code, message: message)
    }
}
