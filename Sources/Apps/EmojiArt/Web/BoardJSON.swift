import EmojiArtModel

// The JSON that pages receive about a board.

/// A snapshot of a board, with the requesting user.
struct BoardState: Encodable, Sendable {
    let id: BoardID
    let name: String
    let revision: Int
    let art: EmojiArt
    let picture: PictureJSON
    /// The hash that identifies the requesting user; see ``ArtPerson/author``.
    let me: String
    /// The server process that the revision comes from: ``OpenBoards/epoch``.
    let epoch: String
}

/// The loading state of a background, for pages.
struct PictureJSON: Encodable, Sendable, Hashable {
    /// A picture's address and size.
    struct Shown: Encodable, Sendable, Hashable {
        let url: String
        let width: Int
        let height: Int

        init(_ picture: BackgroundPicture, of board: BoardID) {
            url = "/art/boards/\(board)/picture/\(picture.id)"
            (width, height) = (picture.width, picture.height)
        }
    }

    private enum Keys: String, CodingKey {
        case state, address, fraction, message, picture, previous, attempts
    }

    let background: BackgroundState
    let board: BoardID
    /// The number of attempts to load the background.
    let attempts: Int

    /// Encodes the state; unknown values are `null`.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        func shown(_ picture: BackgroundPicture?) -> Shown? { picture.map { Shown($0, of: board) } }
        switch background {
        case .none:
            try container.encode("none", forKey: .state)
        case .fetching(let address, let fraction, let previous):
            try container.encode("fetching", forKey: .state)
            try container.encode(address, forKey: .address)
            try container.encode(fraction, forKey: .fraction)
            try container.encode(shown(previous), forKey: .previous)
        case .shown(let address, let picture):
            try container.encode("shown", forKey: .state)
            try container.encode(address, forKey: .address)
            try container.encode(shown(picture), forKey: .picture)
        case .failed(let address, let message, let previous):
            try container.encode("failed", forKey: .state)
            try container.encode(address, forKey: .address)
            try container.encode(message, forKey: .message)
            try container.encode(attempts, forKey: .attempts)
            try container.encode(shown(previous), forKey: .previous)
        }
    }
}

extension PictureJSON {
    @MainActor
    init(_ document: EmojiArtDocument) {
        self.init(background: document.background, board: document.id, attempts: document.backgroundAttempts)
    }
}

/// The changes that bring a page to the board's current revision: log entries, or the whole board.
struct ChangesJSON: Encodable {
    private enum Keys: String, CodingKey {
        case revision, entries, name, art, epoch
    }

    let changes: BoardChanges
    /// The page's revision.
    let since: Int
    let epoch: String

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        switch changes {
        case .entries(let entries):
            try container.encode(entries.last?.revision ?? since, forKey: .revision)
            try container.encode(entries, forKey: .entries)
        case .whole(let board):
            try container.encode(board.summary.revision, forKey: .revision)
            try container.encode(board.summary.name, forKey: .name)
            try container.encode(board.art, forKey: .art)
            try container.encode(epoch, forKey: .epoch)
        }
    }
}

/// The response about a stored picture.
struct StoredPictureJSON: Encodable {
    let picture: PictureID
    let width: Int
    let height: Int
}
