import Capture
import Egress
import Foundation

/// Loads a page once, and writes `file.png`, `file.pdf` and `file.webarchive`.
///
/// - Parameters:
///   - url: The page.
///   - file: The path of the files, without an extension.
///   - rules: The addresses that may be opened besides public ones.
///   - progress: Called often, from any thread.
/// - Returns: The capture.
/// - Throws: ``CaptureError``, or an error if a file can't be written.
func saveOnce(
    _ url: URL, to file: URL, allowing rules: [AllowRule] = [],
    progress: @escaping @Sendable (CaptureProgress) -> Void = { _ in }
) async throws -> PageCapture {
    let configuration = PageCapturer.Configuration {
        $0.addressPolicy = AddressPolicy(allowing: rules)
        $0.maximumBrowserMemory = 2 << 30
    }
    let options = CaptureOptions {
        $0.timeout = .seconds(60)
        $0.limits.loadedBytes = 64 << 20
    }
    return try await withPageCapturer(configuration) { capturer in
        let page = try await capturer.capture(
            url, formats: [.png, .pdf, .webArchive], options: options, progress: progress)
        for (format, data) in page.data {
            try data.write(to: file.appendingPathExtension(format.fileExtension), options: .atomic)
        }
        return page
    }
}

/// The progress as one line.
func line(for progress: CaptureProgress) -> String {
    switch progress {
    case .starting: "starting"
    case .loading(let finished, let started, let bytes): "loading: \(finished) of \(started) requests, \(bytes) bytes"
    case .settling: "waiting for late pictures"
    case .rendering(let format): "rendering \(format.rawValue)"
    }
}

/// What the saved files lack.
func shortcomings(of page: PageCapture) -> [String] {
    page.warnings.map(\.message)
        + page.resources.compactMap { resource in
            resource.missing.map { "\(resource.url): \($0)" }
        }
}

/// What to do about an error.
func advice(for error: CaptureError) -> String {
    if let rule = error.refusal?.allowRule { return "To allow it, add the rule “\(rule)”." }
    switch error.code {
    case .hostNotFound, .connectionRefused, .connectionFailed, .timedOut, .browserExited: return "Try again later."
    case .browserNotFound: return "Install Chromium."
    default: return "Save another page."
    }
}
