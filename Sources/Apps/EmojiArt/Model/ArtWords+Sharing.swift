// What pages and scripts say about shared boards, and about those who look at a board.

extension ArtWords {
    package static let sharedKind = "board"
    package static let boardOwner = "Owner"
    package static let canView = "Can view"
    package static let canEdit = "Can edit"
    package static let noBackgroundByAddress = "The background wasn’t set"
    package static let noBackgroundByAddressDetail = """
        With this link, you can’t set an address as the background. Save the picture, and choose the file instead.
        """
    package static let presenceNotRead = "Your cursor isn’t shown"
    package static let presenceNotReadDetail = "The page sent something that can’t be read. Reload the page."
    package static let notPresent = "Your cursor isn’t shown"
    package static let notPresentDetail = "The page isn’t connected at the moment. It connects again by itself."
    package static let tooManyReports = "Your cursor moves too often"
    package static let tooManyReportsDetail = "The page sends its position too often. It will be shown in a moment."

    package static func guest(_ number: Int) -> String { "Guest \(number)" }

    /// The words of the scripts about those who look at a board.
    static let presence: [String: String] = [
        "viewOnlyLabel": "View only",
        "onePersonHere": "Only you are here",
        "peopleHere": "{{count}} people here: {{names}}",
        "guestNamed": "{{name}} (guest)",
        "you": "you",
        "notSharedStatus": "The board isn’t shared anymore. Changes are no longer saved.",
    ]
}
