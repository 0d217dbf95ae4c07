// The words about the content of boards: refused changes, repaired files and JSON.

// MARK: - Refused changes

extension ArtWords {
    /// The emoji of a refused change, if it can’t be shown.
    static let theEmoji = "The emoji"
    /// What was not done to an emoji, after “was not”.
    static let wasAdded = "added"
    static let wasMoved = "moved"
    static let wasResized = "resized"
    static let wasDeleted = "deleted"
    static let wasReordered = "brought to the front or back"
    static let wasRotated = "rotated"
    static let wasFlipped = "flipped"
    static let wasLocked = "locked"
    static let wasUnlocked = "unlocked"
    static let wasSet = "set"
    static let invalidAngle =
        "The emoji was not rotated: its angle must be at least 0° and less than 360°. Choose another angle."
    static let pictureIsGone = "The background was not set: its picture is no longer stored. Drop the picture again."

    static func emojiIsGone(not done: String) -> String {
        "The emoji was not \(done), because it was deleted. Undo the deletion, or add it again."
    }
    static func emojiExists(_ emoji: String) -> String {
        "\(emoji) was not added: an emoji with the same ID exists already. Add it again."
    }
    static func boardIsFull(_ emoji: String, limit: String) -> String {
        "\(emoji) was not added: the board has \(limit) emoji, the most allowed. Delete some, or use another board."
    }
    static func outOfRange(_ emoji: String, not done: String) -> String {
        """
        \(emoji) was not \(done): it would be too far away, too large or too small. Choose another place or size.
        """
    }
    static func invalidText(limit: String) -> String {
        """
        The emoji was not added: its text is empty, longer than \(limit) bytes, or cannot be shown. Use one emoji.
        """
    }
    static func invalidAddress(limit: String) -> String {
        """
        The background was not set: its address must begin with http:// or https:// and have at most \(limit) bytes. \
        Use another address, or drop the picture itself.
        """
    }
}

// MARK: - Steps and saving

extension ArtWords {
    package static let setBackground = "Set Background"
    static let saved = "Saved"
    static let savingNow = "Saving…"

    static func notSavedYet(_ reason: String) -> String { "Not saved yet, trying again: \(reason)" }
    static func backgroundNotSet(_ reason: String) -> String { "Couldn't set background: \(reason)" }
}

// MARK: - Repaired files

extension ArtWords {
    static let nameShortened = "The board's name was too long, and was shortened."
    static let pictureLeftOut = "The background's picture cannot be read, or is too large, and was left out."
    static let pictureNotInFile = "The background's picture is not in the file."
    static let addressLeftOut =
        "The background was left out: its address does not begin with http:// or https://, or is too long."
    static let oneRenumbered = "An emoji had the same ID as another one, and got a new one."
    static let oneMoved = "An emoji was too far away, too large or too small, and was moved or resized."
    static let oneLeftOut = "An emoji was left out, because its text is empty, too long, or cannot be shown."

    static func renumbered(_ count: Int) -> String {
        count == 1 ? oneRenumbered : "\(count) emoji had the same IDs as other ones, and got new ones."
    }
    static func moved(_ count: Int) -> String {
        count == 1
            ? oneMoved : "\(count) emoji were too far away, too large or too small, and were moved or resized."
    }
    static func leftOut(_ count: Int) -> String {
        count == 1
            ? oneLeftOut : "\(count) emoji were left out, because their text is empty, too long, or cannot be shown."
    }
    static func backgroundLeftOut(_ reason: String) -> String { "The background was left out. \(reason)" }
    package static func invalidPictureLeftOut(_ reason: String) -> String {
        "The background's picture was left out. \(reason)"
    }
}

// MARK: - JSON

extension ArtWords {
    static let noJSON = "It is not JSON, is cut off, or has a number that is too large."
    static let notABoard = "It is not the JSON of a board."
    static let isMissing = "It is missing."
    static let isNull = "It is null."
    static let text = "a text"
    static let number = "a number"
    static let trueOrFalse = "true or false"
    static let list = "a list"
    static let object = "an object"
    /// JSON that has another shape, after “not an emoji board but”.
    package static let jsonWithoutEmoji = "JSON without emoji"
    static let noAddressOrPicture = "It has neither an “address” nor a “picture”."
    static let noPalettes = "There are no palettes."
    static let invalidPictureID = "It is not a picture's ID."
    static let invalidID = "It is not an ID: use 1 to 64 of the characters A-Z, a-z, 0-9, - and _."
    static let unknownEmoji = "It refers to an emoji that does not exist."
    static let equalIDs = "Two of its emoji have the same ID."
    static let numberOutOfRange = "One of its emoji is too far away, too large or too small, or has an invalid angle."
    static let addressOutOfRange = "The background's address does not begin with http:// or https://, or is too long."
    static let pictureMissing = "The background's picture is missing."

    static func changesTooLarge(bytes: Int, limit: Int) -> String {
        "Too many changes at once: \(bytes) bytes, and the limit is \(limit). Make them in several steps."
    }
    static func notWritable(_ reason: String) -> String { "It can't be written: \(reason)" }
    static func isNot(_ what: String) -> String { "It is not \(what)." }
    static func has(no key: String) -> String { "There is no “\(key)”." }
    static func notAnOperation(_ name: some StringProtocol, known: [String]) -> String {
        "“\(name)” is not an operation. The operations are: \(known.joined(separator: ", "))."
    }
    static func hasMoreBytes(than limit: Int) -> String { "It has more than \(limit) bytes." }
    static func areMore(than limit: Int) -> String { "There are more than \(limit)." }
    static func hasMoreEmoji(than limit: Int) -> String { "There are more than \(limit) emoji." }
    static func textOutOfRange(limit: Int) -> String {
        "The text of an emoji is empty, longer than \(limit) bytes, or cannot be shown."
    }
}
