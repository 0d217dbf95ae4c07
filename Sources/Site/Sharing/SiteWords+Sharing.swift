// What the pages for sharing say.

extension SiteWords {
    static let sharing = "Sharing"
    static let canView = "Can view"
    static let canEdit = "Can edit"
    static let deletedThing = "Deleted"
    /// What the audit log says of a link to something.
    static func sharedByLink(_ name: String) -> String { "“\(name)” by a link" }
    /// What the audit log says of something that was shared with a person.
    static func shared(_ name: String, with person: String) -> String { "“\(name)” with \(person)" }
    static let notSharedTitle = "Nothing is shared here"
    static let notShared = """
        The link is incomplete, has expired or was revoked. Ask the person who sent it to you for a new one.
        """
    static let viewOnlyTitle = "You can only look at this"
    static let viewOnly = "It was shared for viewing, so nothing was changed. Ask its owner if you want to edit it."
    static let notSharedNow = "It wasn’t shared"
    static let invalidShare = "The form was incomplete. Go back, choose again and try once more."
    static let nothingToShareTitle = "There is nothing to share"
    static let nothingToShare = "It doesn’t exist or was deleted. Open it again from its list."

    static func share(_ name: String) -> String { "Share “\(name)”" }

    private static let revoke = "Revoke"
    private static let ends = "until {{{html(ends)}}}"
    private static let created = "Shared {{{html(created)}}}"
    private static let used = "last opened {{{html(used)}}}"

    /// The words of the templates for sharing.
    static let sharingTemplates: [String: [String: String]] = [
        "share": [
            "back": "Back to the {{kind}}",
            "newLink": "New link",
            "newLinkHint": "Copy it now: it can’t be shown again, because only a hash of it is stored.",
            "copy": "Copy",
            "byLink": "Share by link",
            "byLinkHint": "Everyone who has the link can open the {{kind}}, without an account.",
            "reach": """
            Your server has no accounts, so it may only be reachable from this computer. The link works for everyone who \
            can reach the server, and for nobody else.
            """,
            "access": "People with the link",
            "canView": canView,
            "canEdit": canEdit,
            "validity": "The link is valid",
            "oneDay": "for one day",
            "oneWeek": "for one week",
            "oneMonth": "for 30 days",
            "forever": "until you revoke it",
            "create": "Create link",
            "withPerson": "Share with a person",
            "name": "Name of the account",
            "personAccess": "The person",
            "share": "Share",
            "shared": "Shared with",
            "notShared": "Nobody else can see this {{kind}}.",
            "all": "Everything that you share",
        ],
        "sharelist": [
            "link": "Link",
            "created": created,
            "ends": ends,
            "used": used,
            "unused": "not opened yet",
            "revoke": revoke,
            "revokeLabel": "Revoke this share",
        ],
        "shares": [
            "given": "What you share",
            "noneGiven": "You share nothing. Open a board or a saved page, and choose Share.",
            "received": "Shared with you",
            "noneReceived": "Nothing is shared with you.",
            "from": "from {{giver}}",
            "created": created,
            "leave": "Remove from my list",
        ],
    ]
}
