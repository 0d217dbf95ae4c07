import EmojiArtModel
import EmojiArtStore

/// A board in memory, with its log and its pictures.
struct MemoryBoard {
    struct Picture {
        var picture: PictureContent
        /// When the picture was stored, or when it was last replaced as the background.
        var lastUsed: Moment
    }

    let id: BoardID
    var name: String
    let created: Moment
    var changed: Moment
    /// The time and the sequence number of its deletion.
    var deleted: (moment: Moment, sequence: Int)?
    private(set) var revision = 0
    private(set) var art: EmojiArt
    private var entries: [LogEntry] = []
    private(set) var answers: [String: (outcome: BatchOutcome, moment: Moment)] = [:]
    var pictures: [PictureID: Picture] = [:]
    /// The picture last fetched from each address.
    var addresses: [String: PictureID] = [:]
    /// The sequence number that determines the board's position in lists.
    var position: Int

    init(id: BoardID, name: String, art: EmojiArt, now: Moment, position: Int) {
        (self.id, self.name, self.art, self.position) = (id, name, art, position)
        (self.created, self.changed) = (now, now)
    }

    var summary: BoardSummary {
        BoardSummary(
            id: id, name: name, emojiCount: art.emojis.count, created: created.date, changed: changed.date,
            revision: revision)
    }

    var lastEntry: LogEntry? { entries.last }

    var board: Board { Board(summary: summary, art: art) }

    func changes(since revision: Int) -> BoardChanges {
        guard (0...self.revision).contains(revision), self.revision - revision <= entries.count else {
            return .whole(board)
        }
        return .entries(Array(entries.suffix(self.revision - revision)))
    }
}

// MARK: - Changing

extension MemoryBoard {
    mutating func apply(
        _ batch: OperationBatch, by author: String, at moment: Moment, _ policy: BoardPolicy
    ) -> BatchOutcome {
        let old = art.background
        let (applied, refused) = art.apply(batch) { pictures[$0] != nil }
        var entry: LogEntry?
        if !applied.isEmpty {
            revision += 1
            changed = moment
            let written = LogEntry(
                revision: revision, batch: OperationBatch(id: batch.id, name: batch.name, operations: applied),
                author: author)
            entries.append(written)
            entry = written
            // Removes many at once, because removing from an array's front moves all remaining elements.
            if entries.count >= policy.logEntries + policy.snapshotEntries {
                entries.removeFirst(entries.count - policy.logEntries)
            }
            if old != art.background { recordLastUse(of: old, at: moment) }
        }
        answers[batch.id] = (BatchOutcome(revision: revision, refused: refused), moment)
        return BatchOutcome(revision: revision, refused: refused, entry: entry)
    }

    mutating func add(_ picture: PictureContent, as id: PictureID, from address: String?, at moment: Moment) {
        var picture = picture
        picture.size = picture.size ?? pictures[id]?.picture.size
        pictures[id] = Picture(picture: picture, lastUsed: moment)
        guard let address else { return }
        recordLastUse(of: .address(address), at: moment)
        addresses[address] = id
    }

    private mutating func recordLastUse(of background: Background, at moment: Moment) {
        guard let picture = picture(of: background) else { return }
        pictures[picture]?.lastUsed = moment
    }

    func picture(of background: Background) -> PictureID? {
        switch background {
        case .blank: nil
        case .picture(let picture): picture
        case .address(let address): addresses[address]
        }
    }

    /// Removes pictures that the board hasn't shown recently, and outcomes of batches that clients no longer resend.
    mutating func tidy(at moment: Moment, _ policy: BoardPolicy) {
        let shown = picture(of: art.background)
        pictures = pictures.filter { $0.key == shown || $0.value.lastUsed > moment - policy.pictures }
        addresses = addresses.filter { pictures[$0.value] != nil }
        answers = answers.filter { $0.value.moment > moment - policy.answers }
    }
}
