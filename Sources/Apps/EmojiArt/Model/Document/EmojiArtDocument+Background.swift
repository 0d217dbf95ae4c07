import Loading

// The background picture.

extension EmojiArtDocument {
    /// The loading state of the board's background picture.
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

    /// Retries a failed background, skips the pause before the next attempt, or fetches the shown picture again from
    /// its address, which may have another picture by now.
    public func retryBackground() {
        guard isOpen, !isGone else { return }
        backgroundAttempts += 1
        guard case .found = loader.state else { return loader.retry() }
        guard let address = art.background.address else { return }
        reader.readAnew(address)
        loader.revalidate()
    }

    /// Loads the current background if it has changed; if it was just set, retries it even if it failed before.
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
    /// The address; `nil` if the background is blank or a stored picture.
    var address: String? {
        switch self {
        case .address(let address): address
        case .blank, .picture: nil
        }
    }
}
