import Capture
import Formats
import Foundation
import OfflineLibraryModel
import Site

// The words for formats, orders and phases, and for addresses.

extension PageFormat {
    /// The last component of the path of the format's viewer.
    var viewerName: String {
        switch self {
        case .png: "picture"
        case .pdf: "pdf"
        case .webArchive: "archive"
        }
    }

    /// The display name.
    var label: String {
        switch self {
        case .png: "Picture"
        case .pdf: "PDF"
        case .webArchive: "Web archive"
        }
    }

    /// The display name in a row of tabs or buttons, which must fit a phone.
    var shortLabel: String { self == .webArchive ? "Archive" : label }

    /// The text of the link that downloads the file.
    var downloadLabel: String {
        switch self {
        case .png: "Download picture"
        case .pdf: "Download PDF"
        case .webArchive: "Download web archive"
        }
    }
}

extension PageContent {
    /// What the server sent in place of the page; `nil` if it sent the page.
    var errorText: String? {
        errorStatus.map { status in
            let reason = [404, 410].contains(status) ? "Page not found" : "The site answered with an error"
            return "\(reason) (\(status)). The site’s error page was saved."
        }
    }
}

extension LibrarySettings.Order {
    /// The display name.
    var label: String {
        switch self {
        case .newest: "Newest first"
        case .oldest: "Oldest first"
        case .title: "By title"
        }
    }
}

extension CapturePhase {
    /// A description of the phase.
    var text: String {
        switch self {
        case .capturing(.starting): "Waiting for the browser"
        case .capturing(.loading(_, started: 0, _)): "Connecting"
        case .capturing(.loading(finished: 0, _, _)): "Loading the page"
        case .capturing(.loading(let finished, let started, let bytes)):
            "Loading: \(finished) of \(started) parts, "
                + ReaderFormats.current.size(bytes)
        case .capturing(.settling): "Waiting for the page to finish"
        case .capturing(.rendering(.png)): "Making the picture"
        case .capturing(.rendering(.pdf)): "Making the PDF"
        case .capturing(.rendering(.webArchive)): "Making the web archive"
        case .storing: "Saving the files"
        }
    }

    /// The estimated fraction of the capture that is done.
    var share: Double {
        switch self {
        case .capturing(.starting): 0.02
        case .capturing(.loading(let finished, let started, _)):
            started == 0 ? 0.05 : 0.05 + 0.3 * Double(finished) / Double(started)
        case .capturing(.settling): 0.4
        case .capturing(.rendering(.webArchive)): 0.6
        case .capturing(.rendering(.png)): 0.65
        case .capturing(.rendering(.pdf)): 0.85
        case .storing: 0.95
        }
    }
}

extension String {
    /// A URL as browsers display it.
    var withoutScheme: String {
        let rest = hasPrefix("https://") ? dropFirst(8) : hasPrefix("http://") ? dropFirst(7) : self[...]
        return rest.hasSuffix("/") && rest.dropLast().contains("/") == false ? String(rest.dropLast()) : String(rest)
    }

    /// Shortens a text to a maximum length by omitting its middle.
    func shortened(to length: Int) -> String {
        count <= length ? self : "\(prefix(length * 2 / 3))…\(suffix(length / 3))"
    }
}
