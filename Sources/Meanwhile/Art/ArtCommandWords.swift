import ArgumentParser

/// All that the commands of `meanwhile art` say to people.
///
/// docs/words.md explains how to change and add words.
enum ArtCommandWords {
    static let abstract = "Lists, exports and imports emoji boards."
    static let discussion = """
        The server can be running: open pages show changes at once.

          meanwhile art list
          meanwhile art export Beach -o beach.png
          meanwhile art import drawing.emojiart
          meanwhile art delete k3JdQ

        Give a board's ID, as `list` shows it, the beginning of its ID, or its name.

        Exit codes: 0 success, 1 failure, 64 wrong usage.
        """
    static let board: ArgumentHelp = "The board."

    static func noDeletedBoard(_ text: String) -> String {
        "No deleted board has the name “\(text)”, or an ID that begins with it. See: meanwhile art list --deleted"
    }
    static func noBoard(_ text: String) -> String {
        "No board has the name “\(text)”, or an ID that begins with it. See: meanwhile art list"
    }
    static func severalBoards(_ text: String, ids: [String]) -> String {
        """
        “\(text)” matches \(ids.count) boards: \(ids.joined(separator: ", ")). Give the ID of the one you mean.
        """
    }
}

// MARK: - Listing and changing boards

extension ArtCommandWords {
    static let list = "Lists the boards, most recently changed first."
    static let onlyDeleted: ArgumentHelp = "List the deleted boards that can still be restored."
    static let new = "Creates an empty board."
    static let nameOrDate: ArgumentHelp = "The name. (default: today's date)"
    static let rename = "Renames a board."
    static let newName: ArgumentHelp = "The new name."
    static let delete = "Deletes a board. You can restore it for ten minutes."
    static let restore = "Restores a board that was deleted in the last ten minutes."

    static func toRestore(_ id: String) -> String {
        "To restore it within ten minutes: meanwhile art restore \(id)"
    }
}

// MARK: - Files

extension ArtCommandWords {
    static let export = "Exports a board to a file, with its background."
    static let exportDiscussion = """
        png is a picture, svg a vector drawing, json everything on the board, emojiart the format of the course CS193p.

          meanwhile art export Beach -o beach.png
          meanwhile art export Beach --format svg -o - > beach.svg
        """
    static let output: ArgumentHelp = "The file; - writes to standard output. (default: the board's name)"
    static let format: ArgumentHelp = "png, svg, json or emojiart. (default: the file name's extension, or else png)"
    static let overwrite: ArgumentHelp = "Replace a file of the same name."
    static let chromium: ArgumentHelp =
        "The path of Chromium, which renders pictures; also from MEANWHILE_CHROMIUM."
    static let noFileName = "-o needs a file name."
    static let twoOutputs = "-o - and --json both write to standard output: choose one."
    static let notWritten = "Couldn't write to standard output."
    static let importFiles = "Imports boards from files: JSON exports and .emojiart documents."
    static let files: ArgumentHelp = "The files; - reads one from standard input."

    static func unknownFormat(_ ending: String) -> String {
        "A board cannot be exported as .\(ending): choose png, svg, json or emojiart with --format."
    }
    static func notRead(_ reason: String) -> String { "Couldn't read the file: \(reason)" }
}

// MARK: - The report

extension ArtCommandWords {
    static let noBoards = "No boards."
    static let made = "Made"
    static let renamed = "Renamed"
    static let deleted = "Deleted"
    static let restored = "Restored"
    static let exported = "Exported"
    static let imported = "Imported"

    /// A line of the report: what was done, and to which board or file.
    static func done(_ what: String, _ subject: String) -> String { "\(what): \(subject)" }
    static func emojiCount(_ count: Int) -> String { "\(count) emoji" }
    static func failed(_ path: String, _ reason: String) -> String { "\(path): \(reason)" }
    /// The boards that were imported before a failure.
    static func importedBefore(_ ids: [String]) -> String {
        let files = ids.count == 1 ? "1 file was" : "\(ids.count) files were"
        return "Before it, \(files) imported: \(ids.joined(separator: ", "))."
    }
}
