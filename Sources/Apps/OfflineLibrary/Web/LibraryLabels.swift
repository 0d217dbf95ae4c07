import Capture
import Foundation
import OfflineLibraryModel
import Site

// Which words name a format, an order, a phase or an address.

extension PageFilter.Outcome {
    /// The display name.
    var label: String {
        switch self {
        case .complete: LibraryWords.complete
        case .partial: LibraryWords.partial
        case .failed: LibraryWords.failed
        }
    }
}

extension ReadingState {
    /// The display name.
    var label: String {
        switch self {
        case .unread: LibraryWords.unread
        case .started: LibraryWords.started
        case .finished: LibraryWords.finished
        }
    }
}

extension PageFormat {
    /// The last component of the path of the format's viewer; `nil` for a format that can only be downloaded.
    var viewerName: String? {
        switch self {
        case .png: "picture"
        case .pdf: "pdf"
        case .webArchive: "archive"
        case .wacz: nil
        }
    }

    /// The display name.
    var label: String {
        switch self {
        case .png: LibraryWords.picture
        case .pdf: LibraryWords.pdf
        case .webArchive: LibraryWords.webArchive
        case .wacz: LibraryWords.wacz
        }
    }

    /// The display name in a row of tabs or buttons, which must fit a phone.
    var shortLabel: String { self == .webArchive ? LibraryWords.archive : label }

    /// The text of the link that downloads the file.
    var downloadLabel: String {
        switch self {
        case .png: LibraryWords.downloadPicture
        case .pdf: LibraryWords.downloadPDF
        case .webArchive: LibraryWords.downloadWebArchive
        case .wacz: LibraryWords.downloadWACZ
        }
    }
}

extension PageContent {
    /// What the server sent in place of the page; `nil` if it sent the page.
    var errorText: String? {
        errorStatus.map { status in
            [404, 410].contains(status) ? LibraryWords.pageNotFound(status) : LibraryWords.siteError(status)
        }
    }
}

extension LibrarySettings.Order {
    /// The display name.
    var label: String {
        switch self {
        case .newest: LibraryWords.newestFirst
        case .oldest: LibraryWords.oldestFirst
        case .title: LibraryWords.byTitle
        }
    }
}

extension CapturePhase {
    /// A description of the phase.
    var text: String {
        switch self {
        case .capturing(.starting): LibraryWords.waitingForBrowser
        case .capturing(.loading(_, started: 0, _)): LibraryWords.connecting
        case .capturing(.loading(finished: 0, _, _)): LibraryWords.loadingPage
        case .capturing(.loading(let finished, let started, let bytes)):
            LibraryWords.loading(finished: finished, started: started, bytes: bytes)
        case .capturing(.settling): LibraryWords.waitingForPage
        case .capturing(.rendering(.png)): LibraryWords.makingPicture
        case .capturing(.rendering(.pdf)): LibraryWords.makingPDF
        case .capturing(.rendering(.webArchive)): LibraryWords.makingWebArchive
        case .capturing(.rendering(.wacz)): LibraryWords.makingWACZ
        case .storing: LibraryWords.savingFiles
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
        case .capturing(.rendering(.wacz)): 0.63
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
