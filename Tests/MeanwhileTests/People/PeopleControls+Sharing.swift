import BrowserDriver
import Foundation

// The pages on which people share boards and saved pages, and on which visitors open them.

extension PeopleControls {
    static let sharing: [Scene] = all(kind: "board") + all(kind: "page") + lists + guests

    private static let count = "SELECT count(*) FROM share"

    private static let revoke = Row(
        "the link is revoked", "#shares button", shows: isMissing("#shares"), stores: { try await $0.has("0", count) })

    private static func add(_ kind: String, to site: PeopleSite) async throws -> String {
        kind == "board" ? try await site.addBoard() : try await site.addSavedPage()
    }

    /// The pages on which a board or a saved page is shared.
    private static func all(kind: String) -> [Scene] {
        let page = "/sharing/\(kind)/[^/]+(/links|/people)?"
        let isBoard = kind == "board"
        return [
            Scene(
                "sharing a \(kind)", page: page, at: { try await add(kind, to: $0) },
                rows: [
                    Row(
                        "a link is made", "#share-link button", after: isBoard ? [.choose("edit", in: "#access")] : [],
                        shows: "\(exists("#link")) && \(exists("#shares"))",
                        stores: { try await $0.has(isBoard ? "1" : "0", "SELECT allows_editing FROM share") }),
                    Row(
                        "the new link is copied", "#copy",
                        after: [.click("#share-link button"), .wait(until: exists("#link"))],
                        shows: "\(exists("#copy-status")).innerText === 'Copied.'",
                        in: .scriptsOnly("Without scripts, the person selects the link.")),
                ] + (isBoard ? people : [])
            ).asAnna,
            Scene(
                "a \(kind) that is shared by a link", page: page,
                at: { site in
                    let path = try await add(kind, to: site)
                    _ = try await site.link(to: path)
                    return path
                }, rows: [revoke]
            ).asAnna,
        ]
    }

    private static let people = [
        Row(
            "the board is shared with a person", "#share-person button",
            after: [.write("bert", in: "#name"), .choose("edit", in: "#person-access")],
            shows: "\(exists("#shares"))?.innerText.includes('bert')",
            stores: { try await $0.has("1", "SELECT allows_editing FROM share WHERE person IS NOT NULL") }),
        Row(
            "an unknown name is refused", "#share-person button",
            after: [.ignoreComplaints(containing: "/people"), .write("carl", in: "#name")],
            shows: "\(exists("#problem")) && \(exists("#share-person #name")).value === 'carl'"),
    ]

    // MARK: - What a person has shared and received

    private static func leave(_ section: String) -> Row {
        Row(
            "the person leaves the board", "\(section) button", shows: isMissing("\(section) button"),
            stores: { try await $0.has("0", count) })
    }

    private static let lists: [Scene] = [
        Scene(
            "what a person shares", path: "/sharing", given: { _ = try await $0.link(to: try await $0.addBoard()) },
            rows: [revoke]
        ).asAnna,
        Scene(
            "what a person has received", path: "/sharing",
            given: { try await $0.shareWithBert(try await $0.addBoard()) },
            rows: [leave("#received")]
        ).asBert,
        // The tests of EmojiArt use the other controls of the list of boards.
        Scene(
            "the boards that others share", path: "/art/",
            given: { try await $0.shareWithBert(try await $0.addBoard()) },
            rows: [leave("#shared")]
        ).asBert.besides(":not(#shared *)"),
    ]

    // MARK: - Visitors with a link

    // ServeSharedPageTests open saved pages, which need a worker.
    private static let guests = ["view", "edit"].map(guestBoard)

    private static let isDialogOpen = "document.querySelector('#guest-dialog').open"
    private static let isNamed = "!\(isDialogOpen) && localStorage.getItem('meanwhile.art.guest-name') === 'Maria'"
    private static let writeName: [Row.Step] = [.click("#guest-name"), .write("Maria", in: "#guest-field")]

    private static func guestBoard(_ access: String) -> Scene {
        Scene(
            "a board, opened by a link for \(access)", page: "/shared/[^/]+/board",
            ready: "document.getElementById('stage').dataset.ready === ''",
            at: { try await $0.link(to: try await $0.addBoard(), access) },
            rows: [
                Row("the dialog for a name opens", "#guest-name", shows: isDialogOpen, in: needsScripts),
                Row(
                    "the name is set", "#guest-dialog [value=set]", after: writeName, shows: isNamed,
                    in: needsScripts),
                Row(
                    "the name is set with the Enter key", "#guest-dialog [value=set]", use: .enter, after: writeName,
                    shows: isNamed, in: needsScripts),
                Row(
                    "the dialog is closed", "#guest-dialog [data-close]", after: writeName,
                    shows: "!\(isDialogOpen) && localStorage.getItem('meanwhile.art.guest-name') === null",
                    in: needsScripts),
            ]
        ).asGuest.besides(
            // The tests of EmojiArt use these, on a board of one's own.
            "[data-bar] *", "#board-menu", "#chosen-menu", "#menu *", "#palette *", "#help *", "#question *",
            "#background-dialog *", "#background-alert *", "#background-problem *", "#back-to-content",
            "#palette-editor *")
    }

    private static let needsScripts = Row.Browsers.scriptsOnly("A board is drawn by scripts.")
}
