import Formats

// The words of the model's errors.

// MARK: - Boards

extension ArtWords {
    static let noBoard = "This board does not exist, or was deleted. Look for it in the list of boards."
    static let sameID = "A board with the same ID exists already. Try again."
    static let boardFromNewerVersion =
        "This board was made by a newer version of Meanwhile. It was not changed. Open it with that version."

    static func tooManyBoards(_ count: Int, suggestedLimit: Int) -> String {
        """
        You have \(ReaderFormats.current.number(count)) boards, the most allowed. Delete some and wait until they can no \
        longer be restored, or start Meanwhile with --max-boards \(suggestedLimit).
        """
    }
    static func tooManyPictures(_ count: Int) -> String {
        """
        This board has \(ReaderFormats.current.number(count)) pictures, the most allowed. Pictures that it hasn’t shown \
        for a day are removed: try again then, or use another board.
        """
    }
}

// MARK: - Stored boards

extension ArtWords {
    package static func anIndex(to maximum: Int) -> String { "It is a number from 0 to \(maximum)." }
    package static let enterName = "Enter a name for the board."
    package static let nameHasControls =
        "The name has characters that can't be shown, such as a line break. Remove them."
    package static let invalidBatchID =
        "A batch's ID must be 1 to 64 of the characters A-Z, a-z, 0-9, - and _. Use another ID."
    package static let invalidAuthor = "An author's ID can have up to 64 bytes, without control characters."
    package static let nothingSaved = "Nothing was saved. Try again."
    package static let pictureNotSaved = "The picture was not saved. Try again."
    package static let noPictureWithID = "There is no picture with that ID."
    /// A damaged part of a board, within a sentence.
    package static let counter = "one of its counters"
    package static let snapshot = "its snapshot"
    package static let stepResult = "the stored result of a step"

    package static func log(at step: Int) -> String { "its log at step \(step)" }
    package static func log(from step: Int) -> String { "its log from step \(step) on" }
    package static func damagedBoard(_ name: String, _ part: String) -> String {
        """
        “\(name)” is damaged: \(part) can't be read. The board was not changed. Restore a backup of the data folder, or \
        use another board.
        """
    }
    package static func boardNameTooLong(_ bytes: Int, limit: Int) -> String {
        "The name is too long: it has \(bytes) bytes, and the limit is \(limit). Use a shorter one."
    }
    package static func stepNameTooLong(_ bytes: Int, limit: Int) -> String {
        "The step's name is too long: it has \(bytes) bytes, and the limit is \(limit). Use a shorter one."
    }
    package static func tooManyOperations(_ count: Int, limit: Int) -> String {
        "Too many changes at once: \(count), and the limit is \(limit). Make them in several steps."
    }
}

// MARK: - Open boards

extension ArtWords {
    static let closedWhileOpening = "The board was closed while it was being opened. Open it again."
    static let alreadyDone = "someone else has already done that."

    static func cannotUndo(_ step: String, _ reason: String) -> String { "“\(step)” can't be undone: \(reason)" }
    static func cannotRedo(_ step: String, _ reason: String) -> String { "“\(step)” can't be redone: \(reason)" }
}

// MARK: - Pictures

extension ArtWords {
    package static let emptyPicture = "The picture is empty. Use another one."
    package static let invalidPictureType = "The picture's type is missing or invalid. Send one such as image/png."
    static let pictureNoLongerStored = "The picture is no longer stored. Drop or paste it again."
    static let anotherBackground = "Another background was set meanwhile."
    static let addressUnreadable = "The picture in this address can't be read. Save it as a file, and drop that."
    package static let imageCutOff = "The image is cut off: its end is missing. Try again, or use another one."
    package static let imageChecksum = "The image is damaged: a checksum is wrong. Try again, or use another one."
    package static let imageWithoutPixels = "The image is damaged: it has no pixels. Try again, or use another one."
    package static let pictureWithoutSize = "The picture has no size. Choose another one."
    /// What was found instead of an image, within a sentence.
    package static let partOfImage = "a part of an image"
    package static let damagedImage = "a damaged image"
    package static let image = "an image"

    package static func pictureHasTooManyBytes(_ bytes: Int, limit: Int) -> String {
        "The picture is too large: it has \(bytes) bytes, and the limit is \(limit). Make it smaller."
    }
    package static func invalidPictureAddress(limit: Int) -> String {
        "The picture's address is empty, or has more than \(limit) bytes. Use another one."
    }
    package static func notAWebAddress(_ address: some StringProtocol) -> String {
        "\(address) isn't a web address. Check it."
    }
    static func addressHasNoPicture(_ type: String) -> String {
        "This address contains “\(type)”, not a picture. Drop a picture."
    }
    static func addressTooLarge(megabytes: Int) -> String {
        "The picture in this address is larger than \(megabytes) MB. Make it smaller."
    }
    static func pictureHas(megabytes: String, limit: String) -> String {
        "The picture is \(megabytes) MB, and the limit is \(limit) MB. Choose a smaller one."
    }
    static func pictureContains(_ what: String) -> String {
        """
        This SVG image contains \(what), which could run code in the browser of anyone who opens the file. Save it \
        without that, or as PNG.
        """
    }
}

// MARK: - Files

extension ArtWords {
    static let noFileChosen = "No file was chosen. Choose a file to import, then try again."
    static let emptyFile = "The file is empty. Choose another file."

    static func backgroundMissing(_ reason: String) -> String {
        """
        The background could not be loaded, and the picture would lack it: \(reason) Try again, or remove the background \
        first.
        """
    }
    static func pictureCouldNotBeMade(_ reason: String) -> String { "The picture could not be created. \(reason)" }
    static func boardFileTooLarge(megabytes: Int) -> String {
        "A board file can be up to \(megabytes) MB, and this one is larger. Make the picture in it smaller."
    }
    static func boardFileTooFull(limit: Int) -> String {
        "The file has more than a board can hold: up to \(limit) emoji. Split it into several files."
    }
    static func boardFileFromNewerVersion(_ version: Int, own: Int) -> String {
        """
        The file has version \(version), written by a newer Meanwhile. This one reads version \(own). Nothing was \
        imported. Open the file with the newer version.
        """
    }
    static func notAnEmojiBoard(_ what: String) -> String {
        "This is not an emoji board but \(what). Choose a file that ends in .emojiart or was exported as JSON."
    }
    static func damagedFile(_ reason: String) -> String {
        "The file is cut off or damaged. \(reason) Choose another copy."
    }
    static func notWritten(_ reason: String) -> String { "The board could not be written to a file. \(reason)" }
}

// MARK: - Palettes

extension ArtWords {
    static let noPalette = "This palette does not exist. It may have been deleted or moved in another tab."
    static let lastPaletteStays = "The last palette can't be deleted or moved. Add another one first."
    static let stillDamaged = "The data is still damaged."
    static let noEmojiEntered = "No emoji was entered. Type or paste one, such as 🐶."
    static let noSetAside = """
        These palettes are no longer set aside: they were restored or deleted, perhaps in another tab. Reload the page.
        """

    static func skinTone(_ tone: String) -> String { "\(tone) skin tone" }
    static func noStore(_ name: some StringProtocol, known: [String]) -> String {
        "There are no palettes called “\(name)”. Choose one of: \(known.joined(separator: ", "))."
    }
    static func invalidName(limit: Int) -> String { "Enter a name of up to \(limit) bytes, on one line." }
    static func noEmojiFound(in text: String) -> String {
        "There is no emoji in “\(text)”. Type or paste one, such as 🐶."
    }
    static func tooManyPalettes(limit: Int) -> String {
        "There are \(limit) palettes here, the most allowed. Delete one first."
    }
    static func tooManyEmoji(limit: Int) -> String {
        "A palette can have up to \(limit) emoji. Add fewer, or add them to another palette."
    }
    static func notChanged(_ reason: String) -> String { "\(reason) Nothing was changed." }
}

// MARK: - What could run code in an SVG image, within a sentence

extension ArtWords {
    package static let transformation = "a transformation"
    package static let unusualEncoding = "text in an unusual encoding"
    package static let unfinishedDeclaration = "an unfinished declaration"
    package static let declaredAttributes = "attributes that are declared elsewhere"
    package static let documentType = "a document type of XHTML"
    package static let ownEntities = "entities of its own"
    package static let script = "a script"
    package static let eventAnimation = "an animation of an event handler"
    package static let scriptLink = "a link that runs a script"

    package static func element(_ name: String) -> String { "an element “\(name)”" }
    package static func eventHandler(_ name: some StringProtocol) -> String { "an event handler “\(name)”" }
}
