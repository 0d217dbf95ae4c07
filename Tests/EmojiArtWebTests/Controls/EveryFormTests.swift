import BrowserDriver
import EmojiArtModel
import Foundation
import HTTPTypes
import Persistence
import Testing

@testable import EmojiArtWeb

/// Every form and button of EmojiArt, used in a browser.
@Suite(.timeLimit(.minutes(20))) struct EveryFormTests {
    @Test(arguments: [true, false])
    func everyControlOfTheListOfBoardsDoesWhatItSays(runsScripts: Bool) async throws {
        try await expectNoFailures(of: ArtControls.list, templates: "list", runsScripts: runsScripts)
    }

    @Test(arguments: [true, false])
    func everyControlOfThePalettesDoesWhatItSays(runsScripts: Bool) async throws {
        try await expectNoFailures(of: ArtControls.palettes, templates: "palette", runsScripts: runsScripts)
    }

    @Test(arguments: ArtControls.BoardPart.allCases, [true, false])
    func everyControlOfABoardDoesWhatItSays(part: ArtControls.BoardPart, runsScripts: Bool) async throws {
        try await expectNoFailures(of: part.scenes, templates: "board", runsScripts: runsScripts)
    }

    @Test func everyTouchControlDoesWhatItSays() async throws {
        try await expectNoFailures(of: ArtControls.touchedBoard, runsScripts: true, isTouched: true)
    }

    /// Uses the controls of the given scenes; a control may lead to the page of any scene.
    private func expectNoFailures(
        of scenes: [ArtControls.Scene], templates prefix: String? = nil, runsScripts: Bool, isTouched: Bool = false
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "harbour-\(UUID().uuidString).json")
        try ArtControls.file.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let test = EveryControl(
            scenes, besides: ArtControls.all,
            templates: prefix.map { [ControlTemplates(of: "EmojiArt", named: $0)] } ?? [], origin: \.origin)
        let failures = try await test.failures(runsScripts: runsScripts) { tab in
            try await tab.answerFileChoosers(with: [file.path()])
            try await tab.allowClipboard()
            // On a busy machine, a message may end before it has been used.
            try await tab.runBeforePages(BoardTab.holdMessages)
            if isTouched { try await tab.emulateTouchScreen() }
        } serve: { body in
            try await BoardServer.run { try await body($0) }
        }
        for failure in failures { Issue.record("\(failure)") }
    }
}

/// The pages of EmojiArt with their controls.
enum ArtControls {
    typealias Scene = ControlScene<BoardServer>
    typealias Row = ControlRow<BoardServer>

    static let all = list + palettes + board + touchedBoard

    /// A board file for the import.
    static let file = Data(
        #"{"format":"meanwhile.emojiart","version":1,"name":"Harbour","art":{"background":null,"emojis":[]}}"#.utf8)

    static func isShown(_ selector: String) -> String {
        "document.querySelector(\"\(selector)\")?.checkVisibility()"
    }

    static func exists(_ selector: String) -> String {
        "(document.querySelector(\"\(selector)\") !== null)"
    }

    static let isOnABoard = "/^.art.boards.[^/]+$/.test(location.pathname)"
}

extension BoardServer {
    /// The names of all boards that are not deleted.
    var names: [String] {
        get async throws { try await store.boards(of: .local, limit: 100, offset: 0).map(\.name).sorted() }
    }

    /// The palettes of a store, as the server sends them to the page of a board.
    func palettes(of store: String = "Main") async throws -> PalettesJSON {
        try await ask(.get, "/art/palettes.json?store=\(store)").json()
    }
}

struct PalettesJSON: Decodable {
    struct Palette: Decodable {
        let id: Int
        let name: String
        let emojis: [String]
    }

    let palettes: [Palette]
    let cursor: Int
    let recents: [String]
}
