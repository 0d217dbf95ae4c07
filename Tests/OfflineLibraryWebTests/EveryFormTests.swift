import BrowserDriver
import Capture
import Foundation
import OfflineLibraryModel
import Persistence
import Site
import Testing

@testable import OfflineLibraryWeb

/// Tests every form and button of Offline Library, as a person uses it.
@Suite(.timeLimit(.minutes(20))) struct EveryFormTests {
    @Test(arguments: [true, false])
    func everyLibraryControlShowsAndStoresItsEffect(runsScripts: Bool) async throws {
        let test = EveryControl(
            LibraryControls.all, templates: ControlTemplates(of: "OfflineLibrary"),
            origin: { "http://127.0.0.1:\($0.port)" })
        let failures = try await test.failures(runsScripts: runsScripts) { body in
            try await LibraryServer.run(capturer: ScriptedCapturer()) { try await body($0) }
        }
        for failure in failures { Issue.record("\(failure)") }
    }
}

/// The pages of Offline Library, and their controls.
private enum LibraryControls {
    typealias Scene = ControlScene<LibraryServer>
    typealias Row = ControlRow<LibraryServer>

    private static let path = "/library/"

    private static func count(_ selector: String, is count: Int) -> String {
        "document.querySelectorAll(\"#pages \(selector)\").length === \(count)"
    }

    private static let delete = Row(
        "the page is deleted", "#pages form[action$='/delete'] button", shows: count("form[action$='/restore']", is: 1),
        stores: { try await $0.use { $0.items.contains(where: \.isDeleted) } })

    static let all: [Scene] =
        [
            Scene(
                "an empty library", path: path,
                rows: [
                    Row(
                        "a page is saved", "#save button", after: [.write("https://page.example/", in: "#address")],
                        shows: count(".item", is: 1),
                        stores: { try await $0.lists(#"class="files""#) })
                ]),
            Scene(
                "a saved page", path: path, given: { try await $0.save("https://page.example/") },
                rows: [
                    delete,
                    Row(
                        "the notes are shown", "#list summary",
                        shows: "document.querySelector('#pages details ul').checkVisibility()"),
                ]),
            Scene(
                "a deleted page", path: path,
                given: { server in
                    let id = try await server.save("https://page.example/")
                    try await server.use { try await $0.delete(id) }
                },
                rows: [
                    Row(
                        "the page is restored", "#pages form[action$='/restore'] button", shows: count(".files", is: 1),
                        stores: { try await $0.use { $0.items.allSatisfy { !$0.isDeleted } } })
                ]),
            Scene(
                "a page that is being saved", path: path,
                given: { try await $0.save("https://slow.example/", isAwaited: false) },
                rows: [
                    delete,
                    Row(
                        "saving is stopped", "#pages form[action$='/stop'] button", shows: count(".error", is: 1),
                        stores: { try await $0.lists(#"class="error""#) }),
                ]),
            Scene(
                "a page that could not be saved", path: path,
                given: { try await $0.save("https://fails-once.example/") },
                rows: [
                    delete,
                    Row(
                        "the capture is retried", "#pages form[action$='/retry'] button",
                        shows: count(".error", is: 0),
                        stores: { try await $0.lists(#"class="files""#) }),
                ]),
            Scene(
                "a saved page in the viewer", page: "/library/pages/[^/]+/archive",
                at: { "/library/pages/\(try await $0.save("https://page.example/"))/archive" }, rows: []),
            Scene(
                "more pages than one list has", path: path,
                given: { try await $0.savePages() },
                rows: [delete]),
            Scene(
                "the older pages", page: path,
                at: { server in
                    try await server.savePages()
                    let id = try await server.use { $0.items[LibraryTemplates.listLength - 1].id }
                    return "/library/?after=\(id)"
                },
                rows: [
                    Row(
                        "an older page is deleted", "#list form[action$='/delete'] button",
                        shows: "location.search === '' && document.querySelector('#save')",
                        stores: { try await $0.use { $0.items.last?.isDeleted ?? false } })
                ]),
        ] + LibrarySettings.Order.allCases.map(order)

    private static func order(_ order: LibrarySettings.Order) -> Scene {
        Scene(
            "two pages, not ordered by \(order.rawValue)", path: path,
            given: { server in
                for name in ["a", "b"] { try await server.save("https://page.example/\(name)") }
                try await server.use { try await $0.sort(order == .newest ? .oldest : .newest) }
            },
            rows: [
                Row(
                    "the pages are ordered", "#orders [value=\(order.rawValue)]",
                    shows: count("#orders [value=\(order.rawValue)][aria-pressed=true]", is: 1),
                    stores: { try await $0.use { $0.settings.value.order == order } })
            ])
    }
}

extension LibraryServer {
    fileprivate func use<Value: Sendable>(_ body: @MainActor (Library) async throws -> Value) async throws -> Value {
        try await libraries.use(.local) { try await body($0.library) }
    }

    /// Returns whether the list that each tab receives contains a text.
    fileprivate func lists(_ text: String) async throws -> Bool {
        let templates = try LibraryTemplates()
        let list = try await libraries.use(.local) { templates.list(LibrarySnapshot($0.library)).markup }
        return list.contains(text)
    }

    /// Saves a page, and by default returns when that has succeeded or failed.
    @discardableResult
    fileprivate func save(_ address: String, isAwaited: Bool = true) async throws -> KeptPage.ID {
        let id = try await use { try await $0.save(address, formats: [.png, .webArchive]) }
        if isAwaited {
            try await eventually("\(address) is saved") { try await !lists(#"class="progress""#) }
        }
        return id
    }

    /// Saves one page more than a list shows.
    fileprivate func savePages() async throws {
        for number in 0...LibraryTemplates.listLength { try await save("https://page.example/\(number)") }
    }
}
