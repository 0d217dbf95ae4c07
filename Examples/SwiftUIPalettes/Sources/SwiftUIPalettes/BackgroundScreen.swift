import EmojiArtModel

/// What a view shows of a document's background, independent of SwiftUI.
enum BackgroundScreen: Equatable {
    case blank
    /// A spinner, or a bar if the received fraction is known.
    case progress(Double?)
    case picture(BackgroundPicture)
    /// An alert with this message and a retry button.
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

/// The document calls that `BackgroundView` makes, in a type that Linux compiles.
@MainActor
struct BackgroundActions {
    let document: EmojiArtDocument

    var screen: BackgroundScreen { BackgroundScreen(document.background) }

    func retry() {
        document.retryBackground()
    }
}
