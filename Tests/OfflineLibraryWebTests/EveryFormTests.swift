import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import Site
import Testing

@testable import OfflineLibraryWeb

/// Tests every form and button of Offline Library, as a person uses it.
@Suite(.timeLimit(.minutes(20))) struct EveryFormTests {
    @Test(arguments: [true, false])
    func everyLibraryControlShowsAndStoresItsEffect(runsScripts: Bool) async throws {
        let test = EveryControl(
            LibraryControls.all, templates: [ControlTemplates(of: "OfflineLibrary")],
            origin: { "http://127.0.0.1:\($0.port)" })
        let file = FileManager.default.temporaryDirectory.appending(path: "addresses-\(UUID().uuidString).txt")
        try Data("https://page.example/a\nhttps://page.example/b\nno address\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let failures = try await test.failures(
            runsScripts: runsScripts,
            prepare: { tab in try await tab.answerFileChoosers(with: [file.path()]) },
            serve: { body in try await LibraryServer.run(capturer: ScriptedCapturer()) { try await body($0) } })
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

    private static let menu = "#list .menu summary"
    /// Selects the first page, and opens the menu for the selection.
    private static let selectOne: [Row.Step] = [
        .click("#selecting"), .click("#list .item:nth-child(1) .select input"), .click("#selection summary"),
    ]

    /// Deletes a page; a saved page's button is at the end of its menu.
    private static func delete(after steps: [Row.Step] = []) -> Row {
        Row(
            "the page is deleted", "#list form[action$='/delete'] button", after: steps,
            shows: count("form[action$='/restore']", is: 1),
            stores: { try await $0.use { $0.items.contains(where: \.isDeleted) } })
    }

    static let all: [Scene] = lists + viewers + orders + [marks] + versions + imports + offline

    private static let isImported = """
        location.pathname.startsWith('/library/import/') \
        && document.querySelectorAll('#report .entries .item').length === 1
        """

    private static let imports: [Scene] = [
        Scene(
            "the page of uploads, without a token", path: "/library/uploads",
            rows: [
                Row(
                    "a token is created", "#create-token button",
                    shows: "document.querySelector('#new-token')?.innerText.length === 64",
                    stores: { try await $0.store.uploadToken(owner: .local) != nil })
            ]),
        Scene(
            "the page of uploads, with a token", page: "/library/uploads(/token)?",
            at: { server in
                _ = try await server.use { try await $0.createUploadToken() }
                return "/library/uploads"
            },
            rows: [
                Row(
                    "the token is replaced", "#create-token button", shows: "document.querySelector('#new-token')"),
                Row(
                    "the token is withdrawn", "#withdraw-token button",
                    shows: "!document.querySelector('#withdraw-token')",
                    stores: { try await $0.store.uploadToken(owner: .local) == nil }),
            ]),
        Scene(
            "the page of imports", path: "/library/import",
            rows: [
                Row(
                    "a file is imported", "#import-file button", after: chooseFile, shows: isImported,
                    stores: { try await $0.use { $0.items.count { $0.state.value != nil } == 2 } })
            ]),
        Scene(
            "the report of an import", page: "/library/import/[^/]+",
            at: { server in
                let file = AddressFile(
                    format: .list, addresses: [ImportedAddress(place: 1, address: "https://page.example/")])
                let id = try await server.use { try await $0.importAddresses(of: file, name: "a.txt") }
                try await eventually("the import is done") {
                    try await server.use { $0.imports.allSatisfy(\.counts.isFinished) }
                }
                return "/library/import/\(id)"
            },
            rows: [
                Row(
                    "the report is removed", "#remove button", shows: "location.pathname === '/library/import'",
                    stores: { try await $0.use { $0.imports.isEmpty && $0.items.count == 1 } })
            ]),
    ]

    private static let chooseFile: [Row.Step] = [
        .click("#file"), .wait(until: "document.querySelector('#file').files.length === 1"),
    ]

    private static let viewers: [Scene] = [PageFormat.png, .webArchive].map(viewer) + [copies, reader]
    private static let orders: [Scene] = LibrarySettings.Order.allCases.map(order)

    private static let lists: [Scene] =
        [
            Scene(
                "an empty library", path: path,
                rows: [
                    Row(
                        "a page is saved", "#save button", after: [.write("https://page.example/", in: "#address")],
                        shows: count(".item", is: 1),
                        stores: { try await $0.lists(#"class="files""#) }),
                    Row(
                        "several pages are saved", "#save-several button",
                        after: [
                            .click("#several summary"),
                            .write("https://page.example/a\nhttps://page.example/b", in: "#addresses"),
                        ],
                        shows: count(".item", is: 2),
                        stores: { try await $0.use { $0.items.count == 2 } }),
                    Row(
                        "a file is imported", "#import-file button",
                        after: [.click("#import summary")] + chooseFile, shows: isImported,
                        stores: { try await $0.use { $0.items.count { $0.state.value != nil } == 2 } }),
                    Row("the tip is dismissed", "#tip button", shows: "!document.querySelector('#tip')"),
                ]),
            Scene(
                "a saved page", path: path, given: { try await $0.save("https://page.example/") },
                rows: [
                    delete(after: [.click(menu)]),
                    Row(
                        "the page becomes a favourite", ".favourite button",
                        shows: count(".favourite [aria-pressed=true]", is: 1),
                        stores: { try await $0.use { $0.items.allSatisfy { $0.marks.isFavourite } } }),
                    Row(
                        "the keys are shown", "#show-keys", shows: "document.querySelector('#keys[open]')",
                        in: .scriptsOnly("Without scripts, the browser's own keys work.")),
                    Row(
                        "the list of keys is closed", "#keys button", after: [.click("#show-keys")],
                        shows: "!document.querySelector('#keys[open]')",
                        in: .scriptsOnly("Without scripts, the browser's own keys work.")),
                    Row(
                        "the notes are shown", "#list details:not(.menu) summary",
                        shows: "document.querySelector('#list details:not(.menu) ul').checkVisibility()"),
                    Row(
                        "a saved address is recognised", "#save button",
                        after: [.write("https://page.example/", in: "#address")],
                        shows: "document.querySelector('#saved')"),
                ]),
            Scene(
                "an address that is already saved", page: path,
                at: { server in
                    try await server.save("https://page.example/")
                    return "/library/?url=https%3A%2F%2Fpage.example%2F"
                },
                rows: [
                    Row(
                        "the page is saved again", "#save button",
                        shows: "location.search === '' && \(count(".item", is: 2))",
                        stores: { try await $0.use { $0.items.count == 2 } })
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
                    delete(),
                    Row(
                        "saving is stopped", "#pages form[action$='/stop'] button", shows: count(".error", is: 1),
                        stores: { try await $0.lists(#"class="error""#) }),
                ]),
            Scene(
                "a page that could not be saved", path: path,
                given: { try await $0.save("https://fails-once.example/") },
                rows: [
                    delete(),
                    Row(
                        "the capture is retried", "#pages form[action$='/retry'] button",
                        shows: count(".error", is: 0),
                        stores: { try await $0.lists(#"class="files""#) }),
                ]),
            Scene(
                "a saved error page", path: path,
                given: { try await $0.save("https://missing-once.example/") },
                rows: [
                    delete(),
                    Row(
                        "the page is retried", "#pages form[action$='/retry'] button", shows: count(".error", is: 0),
                        stores: { try await $0.use { $0.items.allSatisfy { $0.state.value?.httpStatus == 200 } } }),
                ]),
            Scene(
                "two saved pages", path: path,
                given: { server in
                    for name in ["a", "b"] { try await server.save("https://page.example/\(name)") }
                },
                rows: [
                    Row(
                        "the selected pages are deleted", "#delete-selected",
                        after: [
                            .click("#selecting"), .click("#list .item:nth-child(1) .select input"),
                            .click("#list .item:nth-child(2) .select input"),
                        ],
                        shows: count("#undo-all", is: 1),
                        stores: { try await $0.use { $0.items.allSatisfy(\.isDeleted) } }),
                    Row(
                        "the selected page is downloaded, and the list stays", "#export-selected",
                        after: [.click("#selecting"), .click("#list .item:nth-child(1) .select input")],
                        shows: "location.pathname === '/library/' && document.activeElement.id === 'export-selected'"),
                    Row(
                        "all pages are selected", "#select-all", after: [.click("#selecting")],
                        shows: count(".select input:checked", is: 2),
                        in: .scriptsOnly("Without scripts, each page has its own checkbox.")),
                    Row(
                        "the selected page is tagged", "#selection [formaction$='/tag']",
                        after: selectOne + [.write("Later, Read", in: "#selection-tags")],
                        shows: count(".tags li", is: 2),
                        stores: { try await $0.use { $0.tags.map(\.tag.name) == ["Later", "Read"] } }),
                    Row(
                        "the selected page becomes a favourite", "#selection [formaction$='/favourite']",
                        after: selectOne,
                        shows: count(".favourite [aria-pressed=true]", is: 1),
                        stores: { try await $0.use { $0.items.count { $0.marks.isFavourite } == 1 } }),
                    Row(
                        "the selected page is marked as read", "#selection [formaction$='/read']", after: selectOne,
                        shows: count(".reading", is: 1) + " && " + count("#undo-all", is: 1),
                        stores: { try await $0.use { $0.items.count { $0.positions.state == .finished } == 1 } }),
                    Row(
                        "the filters are shown", "#filters summary",
                        shows: "document.querySelector('#filter-tag').checkVisibility()"),
                    Row(
                        "pages are found by their words", "#search button",
                        after: [.write("example/b", in: "#search-words")],
                        shows: "location.search !== '' && document.querySelectorAll('#list .item').length === 1",
                        in: .withoutScripts("With scripts, the results follow the typed words.")),
                ]),
            Scene(
                "two pages that were deleted together", path: path,
                given: { server in
                    var ids: Set<SavedPage.ID> = []
                    for name in ["a", "b"] { ids.insert(try await server.save("https://page.example/\(name)")) }
                    _ = try await server.use { [ids] in try await $0.deleteAll(ids) }
                },
                rows: [
                    Row(
                        "both pages are restored", "#undo-all button", shows: count(".files", is: 2),
                        stores: { try await $0.use { $0.items.allSatisfy { !$0.isDeleted } } })
                ]),
            Scene(
                "a page that is marked as read, and another one", path: path,
                given: { server in
                    let id = try await server.save("https://page.example/a")
                    try await server.save("https://page.example/b")
                    _ = try await server.use { try await $0.markAll([id], .read(true)) }
                },
                rows: [
                    Row(
                        "the page is no longer marked", "#undo-all button", shows: count(".reading", is: 0),
                        stores: { try await $0.use { $0.items.allSatisfy { $0.positions.isEmpty } } }),
                    Row(
                        "the selected page is marked as unread", "#selection [formaction$='/unread']",
                        after: [
                            .click("#selecting"), .click("#list .item:nth-child(2) .select input"),
                            .click("#selection summary"),
                        ], shows: count(".reading", is: 0),
                        stores: { try await $0.use { $0.items.allSatisfy { $0.positions.state == .unread } } }),
                ]),
            Scene(
                "two tagged favourites", path: path,
                given: { server in
                    var ids: Set<SavedPage.ID> = []
                    for name in ["a", "b"] { ids.insert(try await server.save("https://page.example/\(name)")) }
                    try await server.use { [ids] library in
                        try await library.markAll(ids, .favourite(true))
                        try await library.markAll(ids, .add(PageTag.tags(in: "Later")))
                    }
                },
                rows: [
                    Row(
                        "the tags are removed again", "#undo-all button", shows: count(".tags", is: 0),
                        stores: { try await $0.use { $0.tags.isEmpty } }),
                    Row(
                        "the selected page loses its tag", "#selection [formaction$='/untag']",
                        after: selectOne + [.write("later", in: "#selection-tags")], shows: count(".tags", is: 1),
                        stores: { try await $0.use { $0.tags.map(\.count) == [1] } }),
                    Row(
                        "the selected page is no longer a favourite", "#selection [formaction$='/ordinary']",
                        after: selectOne, shows: count(".favourite [aria-pressed=true]", is: 1),
                        stores: { try await $0.use { $0.items.count { $0.marks.isFavourite } == 1 } }),
                ]),
            Scene(
                "more pages than one list has", path: path,
                given: { try await $0.savePages() },
                rows: [delete(after: [.click(menu)])]),
            Scene(
                "the older pages", page: path,
                at: { server in
                    try await server.savePages()
                    let id = try await server.use { $0.items[LibraryTemplates.listLength - 1].id }
                    return "/library/?after=\(id)"
                },
                rows: [
                    Row(
                        "an older page is deleted", "#list form[action$='/delete'] button", after: [.click(menu)],
                        shows: "location.search === '' && document.querySelector('#save')",
                        stores: { try await $0.use { $0.items.last?.isDeleted ?? false } })
                ]),
        ]

    private static func viewer(_ format: PageFormat) -> Scene {
        let name = format.viewerName ?? ""
        return Scene(
            "a saved page in the viewer, as \(format.rawValue)", page: "/library/pages/[^/]+/\(name)",
            at: { "/library/pages/\(try await $0.save("https://page.example/", formats: viewerFormats))/\(name)" },
            rows: [
                Row(
                    "the downloads are shown", ".viewer-bar summary",
                    shows: "document.querySelector('.viewer-bar .menu-body').checkVisibility()"),
                Row(
                    "the notes are shown", ".viewer-notes summary",
                    shows: "document.querySelector('.viewer-notes ul').checkVisibility()"),
                schedule(after: ".viewer-bar summary"),
                keep, keepPDF,
            ])
    }

    /// Sets a schedule in the viewer, which stays open.
    private static func schedule(after menu: String) -> Row {
        Row(
            "a schedule is set", "#set-schedule button", after: [.click(menu), .choose("weekly", in: "#interval")],
            shows: """
                document.querySelector('#interval [value=weekly]').hasAttribute('selected') \
                && document.querySelector('.viewer')
                """,
            stores: { try await $0.use { $0.schedules.map(\.interval) == [.weekly] } })
    }

    /// Copies the page to the browser.
    private static let keep = Row(
        "the page is kept on this device", "#keep", after: [.click(".viewer-bar > .menu:last-of-type summary")],
        shows: "document.querySelector('#viewer-note')?.innerText.includes('on this device now')",
        in: .scriptsOnly("Only a script can keep a page."))

    private static let viewerFormats: Set<PageFormat> = [.png, .pdf, .webArchive]

    /// Copies the PDF of a page that is kept, too.
    private static let keepPDF = Row(
        "the PDF is kept on this device, too", "#keep-pdf",
        after: [
            .click(".viewer-bar > .menu:last-of-type summary"), .click("#keep"),
            .wait(until: "document.querySelector('#keep').textContent.startsWith('Remove')"),
            .click(".viewer-bar > .menu:last-of-type summary"),
        ],
        shows: "document.querySelector('#keep-pdf').textContent.startsWith('Remove the PDF')",
        in: .scriptsOnly("Only a script can keep a PDF."))

    private static let needsScripts = "Only a script can change the article's frame."

    private static let reader = Scene(
        "the reader view", page: "/library/pages/[^/]+/reader",
        at: { "/library/pages/\(try await $0.save("https://page.example/", formats: viewerFormats))/reader" },
        rows: [
            Row(
                "the reader's settings are shown", "#reading summary",
                shows: "document.querySelector('#reader-size').checkVisibility()", in: .scriptsOnly(needsScripts)),
            Row(
                "the downloads are shown", ".viewer-bar > .menu:last-of-type summary",
                shows: "document.querySelector('.viewer-bar > .menu:last-of-type .menu-body').checkVisibility()"),
            Row(
                "the notes are shown", ".viewer-notes summary",
                shows: "document.querySelector('.viewer-notes ul').checkVisibility()"),
            schedule(after: ".viewer-bar > .menu:last-of-type summary"),
            keep, keepPDF,
        ])

    private static let offline = [
        Scene(
            "the page of what is on this device", page: "/library/offline",
            ready: "document.querySelector('#others .item')",
            at: { server in
                try await server.save("https://page.example/", formats: [.png, .pdf, .webArchive])
                try await server.save("https://page.example/b")
                return "/library/offline"
            },
            rows: [
                Row(
                    "an address is saved", "#address-form button",
                    after: [.write("https://page.example/c", in: "#waiting-address")],
                    shows: "document.querySelector('#state').innerText.includes('was sent to the server')",
                    in: keeps, stores: { try await $0.use { $0.items.count == 3 } }),
                Row(
                    "an address that the server refuses is removed", "#waiting button",
                    after: [
                        .ignoreComplaints(containing: "422"), .write("no address", in: "#waiting-address"),
                        .click("#address-form button"), .wait(until: "document.querySelector('#waiting .error')"),
                    ], shows: "!document.querySelector('#waiting button')", in: keeps),
                Row(
                    "the other pages are hidden", "#others summary",
                    shows: "!document.querySelector('#others details').open", in: keeps),
                Row(
                    "a page is kept, and its button keeps the focus", "#others .item-actions button",
                    shows: """
                        document.querySelectorAll('#kept .item').length === 1 \
                        && document.activeElement.closest('#kept .item')
                        """, in: keeps),
                Row(
                    "the PDF is kept, too", "#kept [data-key^='pdf/']", after: keepFirst,
                    shows:
                        "document.querySelector(\"#kept [data-key^='pdf/']\").innerText.startsWith('Remove the PDF')",
                    in: keeps),
                Row(
                    "the PDF is removed", "#kept [data-key^='pdf/']",
                    after: keepFirst + [
                        .click("#kept [data-key^='pdf/']"),
                        .wait(until: "document.querySelector('#kept').innerText.includes('Remove the PDF')"),
                    ],
                    shows: "document.querySelector(\"#kept [data-key^='pdf/']\").innerText.startsWith('Keep the PDF')",
                    in: keeps),
                Row(
                    "a kept page is removed", "#kept [data-key^='keep/']", after: keepFirst,
                    shows: "document.querySelectorAll('#kept .item').length === 0", in: keeps),
            ]),
        Scene(
            "the page of what is on this device, with a tag", page: "/library/offline",
            ready: "document.querySelector('#keep-tag')",
            at: { server in
                let id = try await server.save("https://page.example/")
                _ = try await server.use { try await $0.markAll([id], .add(PageTag.tags(in: "Later"))) }
                return "/library/offline"
            },
            rows: [
                Row(
                    "a tag is no longer kept", "#kept [data-key='tag/Later']",
                    after: [
                        .choose("Later", in: "#keep-tag"),
                        .wait(until: "document.querySelector('#keep-tag').dispatchEvent(new Event('change'))"),
                        .wait(until: "document.querySelector(\"#kept [data-key='tag/Later']\")"),
                    ], shows: "!document.querySelector(\"#kept [data-key='tag/Later']\")", in: keeps)
            ]),
    ]

    private static let keeps = Row.Browsers.scriptsOnly("Only a script can keep pages.")
    /// Keeps the page that has a PDF.
    private static let keepFirst: [Row.Step] = [
        .click("#others .item:last-child .item-actions button"),
        .wait(until: "document.querySelector(\"#kept [data-key^='pdf/']\")"),
    ]

    private static let copies = Scene(
        "a page that was saved twice, in the viewer", page: "/library/pages/[^/]+/picture",
        at: { server in
            try await server.save("https://page.example/")
            return "/library/pages/\(try await server.save("https://page.example/"))/picture"
        },
        rows: [
            Row(
                "the copies are listed", ".viewer-bar summary",
                shows: """
                    document.querySelector('.viewer-bar .menu-body [aria-current]').checkVisibility() \
                    && document.querySelectorAll('.viewer-bar .menu[open] a').length === 3
                    """)
        ])

    private static let marks = Scene(
        "the tags and the note of a page", page: "/library/pages/[^/]+/marks",
        at: { "/library/pages/\(try await $0.save("https://page.example/"))/marks" },
        rows: [
            Row(
                "the tags and the note are stored", "#marks button",
                after: [.write("Later", in: "#new-tags"), .write("Read this", in: "#note")],
                shows: "document.querySelector('.item-note') && document.querySelector('.tags')",
                stores: { try await $0.use { $0.items.first?.marks.note == "Read this" && $0.tags.count == 1 } })
        ])

    private static let versions: [Scene] = [
        Scene(
            "two versions of a page", page: "/library/pages/[^/]+/versions",
            at: { server in
                try await server.save("https://changes.example/")
                return "/library/pages/\(try await server.save("https://changes.example/"))/versions"
            },
            rows: [
                Row(
                    "the versions are compared", "#choose button",
                    shows: "location.pathname === '/library/compare' && document.querySelector('.text-change ins')"),
                Row(
                    "a schedule is set", "#set-schedule button",
                    after: [.choose("weekly", in: "#interval")],
                    shows:
                        "document.querySelector('#interval').value === 'weekly' && document.querySelector('#schedule time')",
                    stores: { try await $0.use { $0.schedules.map(\.interval) == [.weekly] } }),
            ]),
        Scene(
            "the comparison of two versions", page: "/library/compare",
            at: { server in
                let old = try await server.save("https://changes.example/")
                return "/library/compare?old=\(old)&new=\(try await server.save("https://changes.example/"))"
            },
            rows: [
                Row(
                    "the unchanged paragraphs are shown", ".text-changes summary",
                    shows: "document.querySelector('.text-changes details p').checkVisibility()"),
                Row(
                    "the next change has the focus", "#next-change",
                    shows: "document.activeElement.matches('.text-change')",
                    in: .scriptsOnly("Without scripts, the page is scrolled.")),
                Row(
                    "the previous change has the focus", "#previous-change",
                    after: [.click("#next-change"), .click("#next-change")],
                    shows: "document.activeElement.matches('#change-1')",
                    in: .scriptsOnly("Without scripts, the page is scrolled.")),
            ]),
    ]

    private static func order(_ order: LibrarySettings.Order) -> Scene {
        Scene(
            "two pages, not ordered by \(order.rawValue)", path: path,
            given: { server in
                for name in ["a", "b"] { try await server.save("https://page.example/\(name)") }
                try await server.use { try await $0.sort(order == .newest ? .oldest : .newest) }
            },
            rows: [
                Row(
                    "the pages are ordered", "#orders [value=\(order.rawValue)]", after: [.click(".list-bar summary")],
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
    fileprivate func save(
        _ address: String, formats: Set<PageFormat> = [.png, .webArchive], isAwaited: Bool = true
    ) async throws -> SavedPage.ID {
        let id = try await use { try await $0.save(address, formats: formats) }
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
