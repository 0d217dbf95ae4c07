import Accounts
import BrowserDriver
import Foundation
import Testing

/// Tests every form and button of the pages for accounts and sharing, as a person uses it.
@Suite(.serialized, .timeLimit(.minutes(20))) struct EveryFormTests {
    @Test(arguments: [true, false])
    func everyAccountControlShowsAndStoresItsEffect(runsScripts: Bool) async throws {
        let names: Set = ["account", "activity", "invitation", "signin", "tokens"]
        try await expectNoFailures(
            of: PeopleControls.accounts, templates: [ControlTemplates(in: "Site/Resources", where: names.contains)],
            runsScripts: runsScripts)
    }

    @Test(arguments: [true, false])
    func everySharingControlShowsAndStoresItsEffect(runsScripts: Bool) async throws {
        let boards: Set = ["guestdialog", "guestname", "sharedboards"]
        try await expectNoFailures(
            of: PeopleControls.sharing,
            templates: [
                ControlTemplates(in: "Site/Resources") { $0.hasPrefix("share") },
                ControlTemplates(in: "Apps/EmojiArt/Web/Resources", where: boards.contains),
            ], runsScripts: runsScripts)
    }

    /// A new template with forms must be added to one of these tests.
    @Test func everyTemplateOfTheSiteIsTested() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../../Sources/Site/Resources").standardizedFileURL
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { name in
            guard name.hasSuffix(".mustache") else { return false }
            return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                .contains(/<(?:form|button|summary)\b/)
        }
        // The tests of the apps and of the home page use the controls of the layout and of the home page.
        #expect(
            names.sorted()
                == [
                    "account", "activity", "home", "invitation", "layout", "share", "sharelist", "shares", "signin",
                    "tokens",
                ].map { "\($0).mustache" })
    }

    /// Uses the controls of the given scenes; a control may lead to the page of any scene.
    private func expectNoFailures(
        of scenes: [PeopleControls.Scene], templates: [ControlTemplates], runsScripts: Bool
    ) async throws {
        let test = EveryControl(scenes, besides: PeopleControls.all, templates: templates, origin: \.origin)
        let failures = try await test.failures(
            runsScripts: runsScripts, prepare: { try await $0.allowClipboard() },
            serve: { try await PeopleSite.run($0) })
        for failure in failures { Issue.record("\(failure)") }
    }
}

/// The pages for accounts and sharing, and their controls.
enum PeopleControls {
    typealias Scene = ControlScene<PeopleSite>
    typealias Row = ControlRow<PeopleSite>

    static let all = accounts + sharing

    static func exists(_ selector: String) -> String { "document.querySelector(\"\(selector)\")" }
    static func isMissing(_ selector: String) -> String { "!document.querySelector(\"\(selector)\")" }
    static func isAt(_ path: String) -> String { "location.pathname === '\(path)'" }
}

extension ControlScene<PeopleSite> {
    /// The scene in Anna's browser.
    var asAnna: ControlScene<PeopleSite> { with(\.annasCookies) }
    /// The scene in Bert's browser.
    var asBert: ControlScene<PeopleSite> { with(\.bertsCookies) }
    /// The scene in the browser of a visitor without a session.
    var asGuest: ControlScene<PeopleSite> { with { _ in [:] } }

    /// The scene, of which another test uses the controls that match the selectors.
    func besides(_ selectors: String...) -> ControlScene<PeopleSite> {
        var scene = self
        scene.testedElsewhere = selectors
        return scene
    }

    private func with(_ cookies: @escaping @Sendable (PeopleSite) -> [String: String]) -> ControlScene<PeopleSite> {
        var scene = self
        scene.cookies = cookies
        return scene
    }
}
