import EmojiArtModel

/// What a view shows of a document's background, without a word of SwiftUI.
enum BackgroundScreen: Equatable {
    case blank
    /// A spinner, or a bar where the share that has arrived is known.
    case progress(Double?)
    case picture(BackgroundPicture)
    /// An alert with this message, and a button to try again.
    case alert(title: String, message: String)

    init(_ state: BackgroundState) {
        switch state {
        case .none: self = .blank
        case .fetching(_, let fraction, _): self = .progress(fraction)
        case .shown(_, let picture): self = .picture(picture)
        case .failed(_, let message, _): self = .alert(title: BackgroundState.alertTitle, message: message)
        }
    }
}

/// Names the calls of the document that `BackgroundView` makes, so that Linux compiles them.
@MainActor
struct BackgroundActions {
    let document: EmojiArtDocument

    var screen: BackgroundScreen { BackgroundScreen(document.background) }

    func retry() {
        document.retryBackground()
    }
}
