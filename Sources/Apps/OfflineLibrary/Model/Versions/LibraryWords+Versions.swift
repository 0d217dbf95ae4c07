import Formats

// What the library says about versions of an address.

extension LibraryWords {
    private static var formats: ReaderFormats { .current }

    package static let versionsTitle = "Versions"
    package static func versions(of name: String) -> String { "Versions: \(name)" }
    package static let compareTitle = "Compare versions"
    package static func comparison(of name: String) -> String { "Compare versions: \(name)" }

    /// What changed since the version before.
    package static let noChange = "No change"
    package static let firstVersion = "First version"
    package static let notCompared = "Not compared yet"
    package static let noTextToCompare = "no text to compare"
    package static let noPictureToCompare = "no picture to compare"
    package static let samePicture = "same picture"
    package static let sameText = "same text"
    package static func wordsAdded(_ count: Int) -> String { "\(formats.count(count, "word")) added" }
    package static func wordsRemoved(_ count: Int) -> String { "\(formats.number(count)) removed" }
    package static func onlyWordsRemoved(_ count: Int) -> String { "\(formats.count(count, "word")) removed" }
    package static func pictureChanged(_ share: Double) -> String { "\(percent(share)) of the picture changed" }
    private static func percent(_ share: Double) -> String {
        let percent = min(max(share, 0), 1) * 100
        if percent > 0, percent < 0.1 { return "less than 0.1%" }
        return percent < 10 ? "\(formats.number((percent * 10).rounded() / 10))%" : "\(Int(percent.rounded()))%"
    }
    package static func size(_ bytes: Int, new: Int) -> String { "\(size(bytes)), \(size(new)) new" }
    /// In the feed.
    package static func changed(_ what: String) -> String { "Changed since the version before: \(what)" }

    package static func unchangedParagraphs(_ count: Int) -> String { formats.count(count, "unchanged paragraph") }
    package static func changes(_ count: Int) -> String { formats.count(count, "change") }
    package static func moreChanges(_ count: Int) -> String {
        "\(formats.count(count, "more change")) of the text \(count == 1 ? "isn’t" : "aren’t") shown."
    }
    package static func checked(_ times: [String], more: Int) -> String {
        let listed = times.joined(separator: "; ")
        return more == 0 ? "No change on \(listed)" : "No change on \(listed), and \(formats.number(more)) times before"
    }

    package static let never = "Never"
    package static let daily = "Daily"
    package static let weekly = "Weekly"
    package static let monthly = "Monthly"

    package static func uncomparedPicture(because reason: String) -> String {
        "The pictures couldn't be compared: \(reason)"
    }
    package static func tooManySchedules(_ count: Int) -> String {
        """
        \(formats.number(count)) addresses are already saved by a schedule, which is the limit. Set another one to \
        “Never” first.
        """
    }
    package static func scheduledError(_ status: Int) -> String {
        "The site answered with an error (\(status)). No new version was saved."
    }

    /// The words of each template, which contains them as `{{word.key}}`.
    package static let versionTemplates: [String: [String: String]] = [
        "versions": [
            "compare": "Compare",
            "old": "Old",
            "new": "New",
            "choose": "Choose an old and a new version, then compare them.",
            "list": "All versions",
            "oldVersion": "Old version: {{time}}",
            "newVersion": "New version: {{time}}",
            "reload": "Reload the page to see what changed.",
            "allPages": "All pages",
            "saveAgain": "Save again",
        ],
        "schedule": [
            "heading": "Save new versions automatically",
            "often": "How often",
            "set": "Set",
            "next": "Next time:",
            "running": "A new version is being saved.",
            "last": "Last time:",
            "failed": "The last time failed.",
            "hint": "What hasn’t changed is noted, and not saved again.",
            "paused": "New versions can’t be saved now.",
        ],
        "compare": [
            "old": "Old version",
            "new": "New version",
            "text": "Text",
            "pictures": "Pictures",
            "noText": "A version has no text, so only the pictures are compared.",
            "noPicture": "A version has no picture that can be read.",
            "sameText": "The texts are the same.",
            "coarse": "The texts are very different, so that some parts are compared as whole paragraphs.",
            "cut": "Only the first part of a very long text is stored and compared.",
            "coarsePictures": "The pictures are very different, so that some parts count as changed as a whole.",
            "comparing": "Comparing the pictures…",
            "reload": "Reload the page to see what changed.",
            "previous": "Previous change",
            "next": "Next change",
            "keys": "Press N for the next change and P for the previous one.",
            "oldPicture": "Picture of the old version",
            "newPicture": "Picture of the new version",
            "marks": "Changed parts are framed.",
            "versions": "All versions",
        ],
    ]
}
