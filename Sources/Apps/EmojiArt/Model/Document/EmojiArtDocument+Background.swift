import Loading

// The picture that the board is drawn on.

extension EmojiArtDocument {
    /// How far the picture is that the board is drawn on.
    ///
    /// Observed: the progress changes at most 20 times a second.
    public var background: BackgroundState {
        switch loader.state {
        case .idle: .none
        case .fetching(let source, let previous):
            .fetching(address: source.address, fraction: loader.progress?.fraction, previous: previous)
        case .found(let picture): .shown(address: loader.valueSource?.address, picture: picture)
        case .failed(let error, let previous):
            .failed(address: loader.source?.address, message: BackgroundState.message(error), previous: previous)
        }
    }

    /// Fetches a background that failed once more; one that pauses before its next attempt, at once; one that is
    /// shown anew from its address, which may have another picture by now.
    public func retryBackground() {
        guard isOpen, !isGone else { return }
        backgroundAttempts += 1
        guard case .found = loader.state else { return loader.retry() }
        guard let address = art.background.address else { return }
        reader.readAnew(address)
        loader.revalidate()
    }

    /// Loads what the board is drawn on now; if it was just set, also what failed before.
    func followBackground(isSet: Bool = false) {
        guard isOpen, !isGone else { return }
        if art.background == .blank {
            if loader.source != nil { loader.reset() }
        } else if isSet || art.background != loader.source {
            backgroundAttempts += 1
            loader.load(art.background)
        }
    }
}

extension Background {
    /// The address; `nil` where it has none.
    var address: String? {
        switch self {
        case .address(let address): address
        case .blank, .picture: nil
        }
    }
}
