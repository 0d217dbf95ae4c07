import BrowserDriver
import EmojiArtStore
import Foundation
import HTTPTypes
import Persistence

@testable import EmojiArtWeb

// The list of palettes, and the palette editor.

extension ArtControls {
    private static let menu = "#palette-Main-2 details"
    private static let page = "/art/palettes"
    private static let editor = "/art/palettes?store=Main&palette=8"

    private static func isFirst(_ emoji: String) -> String {
        "document.querySelector('#remove button').value === '\(emoji)'"
    }

    static let palettes: [Scene] = [
        Scene(
            "the palettes", path: page,
            rows: [
                Row(
                    "a palette's menu opens", "\(menu) summary", alike: ".palette .menu > summary",
                    shows: isShown("\(menu) .menu-body")),
                Row(
                    "the palette is moved up", "\(menu) form[action$='/move'] button[aria-label$=' up']",
                    alike: ".palette button[aria-label$=' up']", after: [.click("\(menu) summary")],
                    shows: "document.querySelector('#palette-Main-2').dataset.index === '0'",
                    stores: { try await $0.palettes().palettes[0].id == 2 }),
                Row(
                    "the palette is moved down", "\(menu) form[action$='/move'] button[aria-label$=' down']",
                    alike: ".palette button[aria-label$=' down']", after: [.click("\(menu) summary")],
                    shows: "document.querySelector('#palette-Main-2').dataset.index === '2'",
                    stores: { try await $0.palettes().palettes[2].id == 2 }),
                Row(
                    "the palette is moved to another store", "\(menu) button[name=store][value=Special]",
                    alike: ".palette button[name=store]", after: [.click("\(menu) summary")],
                    shows: exists("#palette-Special-2"),
                    stores: { try await $0.palettes(of: "Special").palettes.last?.id == 2 }),
                Row(
                    "deleting the palette asks for confirmation", "\(menu) .menu-sure > summary",
                    alike: ".palette .menu-sure > summary", after: [.click("\(menu) summary")],
                    shows: isShown("\(menu) form[action$='/delete'] button")),
                Row(
                    "the palette is deleted", "\(menu) form[action$='/delete'] button",
                    alike: ".palette form[action$='/delete'] button",
                    after: [.click("\(menu) summary"), .click("\(menu) .menu-sure > summary")],
                    shows: "document.querySelector('#palette-Main-2') === null",
                    stores: { try await $0.palettes().palettes.count == 8 }),
                Row(
                    "a palette is created", "#new-Main button", alike: "form[id^=new-] button",
                    shows: exists(".editor #rename"), stores: { try await $0.palettes().palettes.count == 10 }),
                Row(
                    "the same palettes of another store are listed", "#store-Special .store-same > summary",
                    alike: ".store-same > summary", shows: isShown("#palette-Special-2001")),
            ]),
        Scene(
            "a deleted palette", path: page,
            given: { _ = try await $0.ask(.post, "/art/palettes/Main/2/delete") },
            rows: [
                Row(
                    "the palette is restored", ".deleted-palette button", shows: exists("#palette-Main-2"),
                    stores: { try await $0.palettes().palettes.count == 9 })
            ]),
        Scene(
            "palettes that were set aside", path: page, given: { try await $0.setPalettesAside() },
            rows: [
                Row(
                    "the palettes are restored", ".set-aside form[action$='/restore'] button",
                    shows: "!\(exists(".set-aside"))",
                    stores: { try await $0.palettes().palettes.map(\.name) == ["Zoo"] }),
                Row(
                    "the palettes are deleted", ".set-aside form[action$='/delete'] button",
                    shows: "!\(exists(".set-aside"))",
                    stores: { try await $0.palettesSetAside() == 0 }),
            ]),
        Scene(
            "the editor of a palette", page: page, at: { _ in editor },
            rows: [
                Row(
                    "the palette is renamed", "#rename button", after: [.write("Zoo", in: "#palette-name")],
                    shows: "document.querySelector('#editor-heading').innerText === 'Zoo'",
                    stores: { try await $0.palettes().palettes[7].name == "Zoo" }),
                Row(
                    // Set instead of typed: with scripts, typed emoji are added at once.
                    "an emoji is added", "#add button", after: [.choose("🐙", in: "#palette-add")], shows: isFirst("🐙"),
                    stores: { try await $0.palettes().palettes[7].emojis.first == "🐙" }),
                Row(
                    "emoji are found", "#search button", after: [.choose("rainbow", in: "#palette-search")],
                    shows: "\(exists("#found-form [value='🌈']")) && location.search.includes('q=rainbow')"),
                Row(
                    "emoji of a group are listed", ".emoji-groups a[title^=Food]",
                    shows: "\(exists("#found-form [value='🍇']")) && location.search.includes('group=food')"),
                Row(
                    "emoji have a skin tone", "#search button",
                    after: [.choose("thumbs up", in: "#palette-search"), .choose("dark", in: "#palette-tone")],
                    shows: "\(exists("#found-form [value='👍🏿']"))"),
                Row(
                    "an emoji is removed", "#remove [value='🦠']", alike: "#remove button",
                    shows: "!\(exists("#remove [value='🦠']"))",
                    stores: { try await !$0.palettes().palettes[7].emojis.contains("🦠") }),
            ]),
        Scene(
            "the editor of a palette, with emoji that were found", page: page, at: { _ in "\(editor)&q=rainbow" },
            rows: [
                Row(
                    "the emoji is added", "#found-form [value='🌈']", alike: "#found-form button",
                    shows: isFirst("🌈"), stores: { try await $0.palettes().palettes[7].emojis.first == "🌈" })
            ]),
        Scene(
            "the editor of a palette, with recently used emoji", page: page,
            at: { server in
                _ = try await server.ask(
                    .post, "/art/recents", [.contentType: "application/x-www-form-urlencoded"],
                    body: Data("emoji=%F0%9F%8E%88".utf8))
                return editor
            },
            rows: [
                Row("the emoji are listed", ".found-more summary", shows: isShown(".found-more form")),
                Row(
                    "the emoji is added", ".found-more button", after: [.click(".found-more summary")],
                    shows: isFirst("🎈"), stores: { try await $0.palettes().palettes[7].emojis.first == "🎈" }),
            ]),
    ]
}

extension BoardServer {
    /// Stores a palette and sets it aside through a separate database connection, as another process does.
    func setPalettesAside() async throws {
        let database = try await AppDatabase.open(in: folder, migrations: BoardMigrations.all)
        defer { database.close() }
        let store = SQLiteStore(database: database, owner: .local)
        let payload = Data(#"{"palettes":[{"id":5000,"name":"Zoo","emojis":["🦒"]}],"cursor":0}"#.utf8)
        let content = StoredContent(format: "emojiart.palettes", version: 2, payload: payload)
        let key: StoreKey = "PaletteStore:Main"
        guard case .committed(let revisions) = try await store.commit([StoreWrite(key, content)]),
            let revision = revisions[key]
        else { throw CancellationError() }
        _ = try await store.setAside(key, revision: revision, reason: "its checksum is wrong")
    }

    /// The number of values that are set aside.
    func palettesSetAside() async throws -> Int {
        let database = try await AppDatabase.open(in: folder, migrations: BoardMigrations.all)
        defer { database.close() }
        return try await SQLiteStore(database: database, owner: .local).setAsideRecords().count
    }
}
