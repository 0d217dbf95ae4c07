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

// MARK: - Pictures

extension ArtWords {
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
    static func pictureCouldNotBeMade(_ reason: String) -> String { "The picture could not be made. \(reason)" }
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
    static let noEmojiEntered = "No emoji was entered. Type or paste one, such as 🐶."
    static let noSetAside = """
        These palettes are no longer set aside: they were restored or deleted, perhaps in another tab. Reload the page.
        """

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
