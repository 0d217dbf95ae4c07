import Accounts
import BrowserDriver
import Foundation

// The pages for signing in, for invitations, and for a person's account and tokens.

extension PeopleControls {
    static let accounts: [Scene] = [signIn, invitation] + account + tokens + [activity, home]

    /// Steps that type texts into fields.
    private static func write(_ texts: KeyValuePairs<String, String>) -> [Row.Step] {
        texts.map { .write($0.value, in: $0.key) }
    }

    private static let signIn = Scene(
        "the page for signing in", page: "/sign-in", at: { _ in "/sign-in?next=%2Faccount" },
        rows: [
            Row(
                "a person signs in", "#sign-in button",
                after: write(["#name": "anna", "#password": "correct horse"]), shows: isAt("/account"),
                stores: { try await $0.hasSessions(2) }),
            Row(
                "a wrong password is refused", "#sign-in button",
                after: [.ignoreComplaints(containing: "/sign-in")]
                    + write(["#name": "anna", "#password": "wrong horse"]),
                shows: "\(exists("#problem")) && \(exists("#name")).value === 'anna'"),
            Row(
                "a person signs in at the provider", "#provider button", shows: isAt("/account"),
                stores: { try await $0.has("person-1", "SELECT subject FROM account_identity") }),
        ]
    ).asGuest

    private static let invitation = Scene(
        "an invitation", page: "/invitation",
        at: { "/invitation?token=\(try await $0.people.signIn.invite().text)" },
        rows: [
            Row(
                "an account is added", "#invitation button",
                after: write(["#name": "carl", "#password": "correct horse", "#again": "correct horse"]),
                shows: isAt("/"),
                stores: { try await $0.has("carl", "SELECT name FROM account WHERE name = 'carl'") }),
            Row(
                "different passwords are refused", "#invitation button",
                after: [.ignoreComplaints(containing: "/invitation")]
                    + write(["#name": "carl", "#password": "correct horse", "#again": "wrong horse"]),
                shows: "\(exists("#problem")) && \(exists("#name")).value === 'carl'"),
        ]
    ).asGuest

    // MARK: - The account

    private static let identities = "SELECT count(*) FROM account_identity"

    private static let account: [Scene] = [
        Scene(
            "an account", page: "/account(/password)?", at: { _ in "/account" },
            rows: [
                Row(
                    "the person signs out", "#sign-out button", shows: isAt("/sign-in"),
                    stores: { try await $0.hasSessions(0) }),
                Row(
                    "the person signs out, although changes wait to be sent", "#sign-out button",
                    after: [
                        .wait(until: "localStorage.setItem('meanwhile.art.outbox/a', '1') === undefined"),
                        .click("#sign-out button"), .wait(until: exists("[role=alert]")),
                    ], shows: "\(isAt("/sign-in")) && localStorage.length === 0",
                    in: .scriptsOnly("Only a script stores changes in the browser."),
                    stores: { try await $0.hasSessions(0) }),
                Row(
                    "the account is connected to the provider", "#connect-provider button",
                    shows: exists("#remove-provider"), stores: { try await $0.has("1", identities) }),
                Row(
                    "a wrong password is refused", "#change-password button",
                    after: [.ignoreComplaints(containing: "/account/password")]
                        + write([
                            "#current": "wrong horse", "#password": "battery staple", "#again": "battery staple",
                        ]), shows: exists("#problem")),
            ]
        ).asAnna,
        Scene(
            "an account with another session", path: "/account", given: { try await $0.signInAnna() },
            rows: [
                Row(
                    "the other session is ended", "#sessions button",
                    shows: "document.querySelectorAll('#sessions .item').length === 1",
                    stores: { try await $0.hasSessions(1) }),
                Row(
                    "all other sessions are ended", "#end-others button", shows: isMissing("#end-others"),
                    stores: { try await $0.hasSessions(1) }),
                Row(
                    "the password is changed, which ends the other session", "#change-password button",
                    after: write([
                        "#current": "correct horse", "#password": "battery staple", "#again": "battery staple",
                    ]), shows: "\(isMissing("#end-others")) && \(isMissing("#problem"))",
                    stores: { site in
                        // Signing in adds a session.
                        guard try await site.hasSessions(1) else { return false }
                        try await site.signInAnna("battery staple")
                        return true
                    }),
            ]
        ).asAnna,
        Scene(
            "an account that is connected to the provider", path: "/account",
            given: { site in
                let identity = ProviderIdentity(issuer: site.issuer, subject: "anna at home")
                try await site.people.signIn.store.add(identity, to: site.people.anna.owner)
            },
            rows: [
                Row(
                    "the account is disconnected", "#remove-provider button", shows: exists("#connect-provider"),
                    stores: { try await $0.has("0", identities) })
            ]
        ).asAnna,
    ]

    // MARK: - Tokens and activity

    private static let tokenCount = "SELECT count(*) FROM account_token"
    private static let makeToken: [Row.Step] = [.write("Backup", in: "#name"), .choose("read", in: "#scope-art")]

    private static let tokens: [Scene] = [
        Scene(
            "the page of tokens", path: "/account/tokens",
            rows: [
                Row(
                    "a token is made", "#add-token button", after: makeToken,
                    shows: "\(exists("#secret")) && \(exists("#tokens")).innerText.includes('art:read')",
                    stores: { try await $0.has("1", tokenCount) }),
                Row(
                    "a token for nothing is refused", "#add-token button",
                    after: [.ignoreComplaints(containing: "/account/tokens"), .write("Backup", in: "#name")],
                    shows: "\(exists("#problem")) && \(exists("#name")).value === 'Backup'"),
                Row(
                    "the new token is copied", "#copy",
                    after: makeToken + [.click("#add-token button"), .wait(until: exists("#secret"))],
                    shows: "\(exists("#copy")).innerText === 'Copied'",
                    in: .scriptsOnly("Without scripts, the person selects the token.")),
            ]
        ).asAnna,
        Scene(
            "the page of tokens, with a token", path: "/account/tokens", given: { try await $0.addToken() },
            rows: [
                Row(
                    "the token is removed", "#tokens button", shows: isMissing("#tokens"),
                    stores: { try await $0.has("0", tokenCount) })
            ]
        ).asAnna,
    ]

    private static let activity = Scene(
        "the activity of an account", path: "/activity",
        rows: [
            Row(
                "the entries are filtered", "#filter button", after: [.click("#filter .chip")],
                shows: "new URLSearchParams(location.search).get('here') === '1'")
        ]
    ).asAnna

    /// The page that follows an invitation; other tests use its controls.
    private static let home = Scene("the home page", path: "/", rows: []).asAnna.besides("main *")
}
