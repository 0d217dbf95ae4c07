import Formats

/// All that EmojiArt says to people: on its pages, in its scripts, and in its errors.
///
/// docs/words.md explains how to change and add words. Values are formatted for the reader of the current task.
package enum ArtWords {
    private static var formats: ReaderFormats { .current }
}

// MARK: - The app

extension ArtWords {
    package static let name = "EmojiArt"
    package static let summary = "Draw with emoji over a picture. Boards are saved as you go."
    package static let hint =
        "Create a board, then tap an emoji of the palette or drag it onto the board. Every change is saved."
    /// The first step on the home page.
    package static let firstStep = "Draw with emoji"
    /// What the home page adds as sample data, within a sentence.
    package static let sampleSummary = "a board"
    /// The name of the sample board.
    package static let sample = "Sample: a beach"
    package static let boards = "Boards"
    package static let palettes = "Palettes"
    /// The operations that can take too long, for the beginning of a sentence.
    package static let showingBoard = "Showing the board"
    package static let readingBoard = "Reading the board"
    package static let readingChanges = "Reading the changes"
    package static let readingPalettes = "Reading the palettes"
    package static let exporting = "Exporting the board"

    package static func boardCount(_ count: Int) -> String { formats.count(count, "board") }
    package static func emojiCount(_ count: Int) -> String { "\(formats.number(count)) emoji" }
}

// MARK: - The list of boards

extension ArtWords {
    package static let emptyBoard = "Empty"

    package static func moreDeleted(_ count: Int) -> String { formats.count(count, "more deleted board") }
    package static func page(_ number: Int, of count: Int) -> String {
        "Page \(formats.number(number)) of \(formats.number(count))"
    }
}

// MARK: - Palettes

extension ArtWords {
    /// The name of a new palette.
    package static let newPalette = "New palette"
    package static let builtInReplaced = "The built-in palettes replaced them."
    package static let lastCopyReplaced =
        "The last readable copy replaced them, or the built-in palettes if there was no such copy."
    package static let stillUnreadable = "The data still can’t be read."

    package static func paletteCount(_ count: Int) -> String { formats.count(count, "palette") }
    /// The title of a palette's page.
    package static func title(ofPalette name: String) -> String { "\(name) · Palettes" }
    package static func found(_ count: Int) -> String { "\(formats.number(count)) found" }
    package static func tapToAdd(_ title: String) -> String { "\(title): tap one to add it" }
    package static func replaced(in store: String) -> String { "Earlier palettes of “\(store)” are set aside" }
    package static func replacedDetail(at time: String) -> String {
        "You restored other palettes on \(time). These are the palettes that they replaced."
    }
    package static func unreadable(in store: String) -> String { "The palettes of “\(store)” couldn’t be read" }
    /// The reason and the replacement are sentences.
    package static func unreadableDetail(at time: String, because reason: String, replaced: String) -> String {
        "On \(time) they were set aside unchanged. Reason: \(reason) \(replaced)"
    }
    package static func restorePalettes(_ count: Int) -> String { "Restore \(paletteCount(count))" }
    /// The name of a file.
    package static func setAside(_ store: String) -> String { "Palettes \(store), set aside" }
}

// MARK: - Files

extension ArtWords {
    package static let noMargin = "None"
    package static let smallMargin = "Small"
    package static let largeMargin = "Large"
    package static let importedWithChanges = "Imported, with changes"
    package static let uprightNote =
        "In the file, all emoji are upright: the .emojiart format has no rotation. JSON keeps it."
    package static let noBrowser = "There is no browser to render the board."
    package static let undecodablePicture = "The picture can't be decoded."

    package static func onlyAddressNote(_ reason: String) -> String {
        "The file has only the address of the background, not the picture: \(reason)"
    }
}

// MARK: - The titles of errors

extension ArtWords {
    package static let paletteNotFound = "Palette not found"
    package static let palettesNotFound = "Palettes not found"
    package static let notSetAside = "These palettes are no longer set aside"
    package static let notRestorable = "These palettes can’t be restored"
    package static let lastPalette = "This is the last palette"
    package static let checkName = "Check the name"
    package static let noEmoji = "No emoji found"
    package static let limitReached = "That’s the limit"
    package static let newerVersion = "Made by a newer version"
    package static let palettesFailed = "The palettes couldn’t be read or saved"
    package static let boardNotFound = "Board not found"
    package static let boardExists = "The board exists already"
    package static let notSaved = "Couldn’t save that"
    package static let boardsFailed = "EmojiArt couldn’t read or save its data"
    package static let pictureTooLarge = "The picture is too large"
    package static let pictureNotSupported = "Not a supported picture"
    package static let pictureNotShown = "The picture can’t be shown"
    package static let pictureHasScript = "The picture contains a script"
    package static let pictureNotRead = "Couldn’t read the picture"
    package static let backgroundNotLoaded = "Couldn’t load the background"
    package static let fileFailed = "Import or export failed"
    package static let pictureNotMade = "Couldn’t make the picture"
    package static let fileNotRead = "Couldn’t read the file"
    package static let fileTooLarge = "The file is too large"
    package static let fileTooFull = "The file has too much content"
    package static let fileFromNewerVersion = "The file is from a newer version"
    package static let notABoardFile = "Not a board file"
    package static let notExported = "Couldn’t export the board"
    package static let busy = "The server is busy"
}

// MARK: - Errors of the pages

extension ArtWords {
    package static let invalidPosition = "Invalid position in the list"
    package static let nameTooLong = "The name is too long"
    package static let nameMissing = "A name is missing"
    package static let nameMissingDetail = "Enter a name with at least one visible character."
    package static let noSuchFormat = "File not found"
    package static let noSuchFormatDetail = "A board can be exported as PNG, SVG, JSON or .emojiart."
    package static let noFile = "No file chosen"
    package static let noFileDetail = "Choose a file to import, then try again."
    package static let revisionMissing = "The revision is missing"
    package static let revisionMissingDetail =
        "The address must give the last known revision, as in ?since=7. Reload the page."
    package static let invalidRevision = "Invalid revision"
    package static let shuttingDown = "The server is stopping"
    package static let shuttingDownDetail = "Nothing was changed. Start it again, then reload the page."
    package static let noSuchBoardDetail =
        "The address may be wrong, or the board was deleted. Look for it in the list of boards."
    package static let restarted = "The server was restarted"
    package static let restartedDetail = "This page may show an outdated board. Reload it."
    package static let changeNotRead = "The change couldn’t be read"
    package static let tooManyChanges = "Too many changes at once"
    package static let noPicture = "Picture not found"
    package static let noPictureDetail = "This board does not use it. Reload the page."

    package static func invalidPositionDetail(_ text: some StringProtocol) -> String {
        "“\(text)” is not a number. Reload the page and try again."
    }
    package static func nameTooLongDetail(bytes: Int, limit: Int) -> String {
        "It has \(formats.number(bytes)) bytes, and the limit is \(formats.number(limit)). Choose a shorter one."
    }
    package static func fileTooLargeDetail(limit: Int) -> String {
        """
        A board file can be up to \(megabytes(limit)), and this one is larger. Nothing was imported. Make the picture \
        in it smaller.
        """
    }
    package static func invalidRevisionDetail(_ text: some StringProtocol) -> String {
        "“\(text)” is not a whole number from 0 up. Reload the page."
    }
    package static func changeNotReadDetail(_ reason: String) -> String {
        "\(reason) Nothing was changed. Reload the page and try again."
    }
    package static func tooManyChangesDetail(limit: Int) -> String {
        """
        A change can be up to \(megabytes(limit)), and this one is larger. Nothing was changed. Make smaller changes.
        """
    }
    package static func pictureTooLargeDetail(limit: Int) -> String {
        """
        A picture can be up to \(megabytes(limit)), and this one is larger. It was not saved. Make it smaller, or \
        choose another one.
        """
    }
    private static func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000) MB" }
}
