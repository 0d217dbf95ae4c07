import BrowserDriver
import EmojiArtModel
import Foundation
import SeededChance
import StoreTesting
import Testing

@testable import EmojiArtWeb

/// Tests that the model has the same outcome as WebAssembly in a browser and natively.
@Suite(.timeLimit(.minutes(60))) struct ScriptedArtTests {
    /// The outcome of operations, each of which is a step.
    private struct Outcome: Codable, Equatable {
        var messages: [String?] = []
        var undoCounts: [Int] = []
        var art = EmojiArt()
    }

    private static let script = """
        (async () => {
            const { instantiate } = await import('\(ArtPages.scripts)/../site/bridge.js');
            const { worded } = await import('\(ArtPages.scripts)/worded.js');
            const model = await instantiate('\(ArtPages.scripts)/board.wasm');
            model.open({ revision: 0, epoch: '', art: %ART% });
            const outcome = { messages: [], undoCounts: [] };
            for (const operation of %OPERATIONS%) {
                const { effects } = model.change('a', [operation]);
                outcome.messages.push(effects.messages?.length ? worded(effects.messages[0]) : null);
                outcome.undoCounts.push(model.undoNames().value.length);
            }
            return JSON.stringify({ ...outcome, art: model.art().value });
        })()
        """

    private func scriptOutcome(
        _ operations: [ArtOperation], on art: EmojiArt, of tab: BrowserTab
    ) async throws -> Outcome {
        let script = Self.script
            .replacing("%ART%", with: String(decoding: try ArtJSON.data(art), as: UTF8.self))
            .replacing("%OPERATIONS%", with: String(decoding: try ArtJSON.data(operations), as: UTF8.self))
        return try ArtJSON.read(from: Data(try await tab.evaluate(script, as: String.self).utf8))
    }

    private func modelOutcome(_ operations: [ArtOperation], on art: EmojiArt) -> Outcome {
        var session = BoardSession(ServerBoard(revision: 0, epoch: "", art: art))
        var outcome = Outcome()
        for operation in operations {
            session.change(.plain("a"), [operation])
            outcome.messages.append(session.takeEffects().messages.first?.words)
            outcome.undoCounts.append(session.history.undoNames.count)
        }
        outcome.art = session.art
        return outcome
    }

    @Test func limitsOfFilesInScriptMatchModel() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                guard let url = URL(string: "\(server.origin)/art/boards/beach/state") else { return }
                try await tab.open(url)
                let limits = try await tab.evaluate(
                    """
                    (async () => {
                        const { pictureBytes, fileBytes } = await import('\(ArtPages.scripts)/data-transfer.js');
                        return { pictureBytes, fileBytes };
                    })()
                    """, as: [String: Int].self)
                #expect(limits == ["pictureBytes": BoardLimits.pictureBytes, "fileBytes": BoardLimits.importBytes])
            }
        }
    }

    @Test func copiedEmojiWithInvalidValuesAreIgnored() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                guard let url = URL(string: "\(server.origin)/art/boards/beach/state") else { return }
                try await tab.open(url)
                let counts = try await tab.evaluate(
                    """
                    (async () => {
                        const { instantiate } = await import('\(ArtPages.scripts)/../site/bridge.js');
                        const model = await instantiate('\(ArtPages.scripts)/board.wasm');
                        const emoji = { text: '🐶', x: 1, y: -2, size: 40 };
                        const changes = [
                            {}, { angle: -90, flipped: true }, { x: 1e308 }, { y: -1e308 }, { size: 1e308 }, { size: 0 },
                            { size: '1' }, { x: null }, { text: 1 },
                        ];
                        return changes.map((change) =>
                            model.readCopied({ emojis: [{ ...emoji, ...change }] }).value?.length ?? 0);
                    })()
                    """, as: [Int].self)
                #expect(counts == [1, 1, 0, 0, 0, 0, 0, 0, 0])
            }
        }
    }

    @Test func randomOperationsHaveSameOutcomeInModuleAndModel() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                guard let url = URL(string: "\(server.origin)/art/boards/beach/state") else { return }
                try await tab.open(url)
                var chance = OperationChance(seed: 8)
                var art = EmojiArt()
                var refusals = 0
                for round in 0..<(isSoak ? 2_500 : 20) {
                    let operations = (0..<400).map { _ in chance.operation() }
                    let expected = modelOutcome(operations, on: art)
                    let outcome = try await scriptOutcome(operations, on: art, of: tab)
                    #expect(outcome.messages == expected.messages, "round \(round)")
                    #expect(outcome.undoCounts == expected.undoCounts, "round \(round)")
                    #expect(outcome.art == expected.art, "round \(round)")
                    art = expected.art
                    refusals += expected.messages.count { $0 != nil }
                }
                #expect(refusals > 1_000)
            }
        }
    }

    /// After an update of the server, a page that is still open may receive operations that it doesn't know.
    @Test func unknownOperationMakesPageLoadTheWholeBoard() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                guard let url = URL(string: "\(server.origin)/art/boards/beach/state") else { return }
                try await tab.open(url)
                let actions = try await tab.evaluate(
                    """
                    (async () => {
                        const { instantiate } = await import('\(ArtPages.scripts)/../site/bridge.js');
                        const model = await instantiate('\(ArtPages.scripts)/board.wasm');
                        model.open({ revision: 0, epoch: '', art: { background: null, emojis: [] } });
                        const operations = [{ op: 'spin', id: 'a' }];
                        return model.receiveEntries([{ revision: 1, id: 'b', name: '', operations }]).effects.following;
                    })()
                    """, as: [String].self)
                #expect(actions == ["requestState"])
            }
        }
    }

    @Test func boardIsFullAtSameEmojiInModuleAndModel() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                guard let url = URL(string: "\(server.origin)/art/boards/beach/state") else { return }
                try await tab.open(url)
                let many = (1..<BoardLimits.emojis).map { number in
                    Emoji(id: EmojiID(number), text: "🐶", x: 0, y: 0, size: 40, z: Double(number % 5))
                }
                let art = try EmojiArt(background: .blank, emojis: many)
                let more = (0..<2).map { number in
                    ArtOperation.add(Emoji(id: EmojiID(-1 - number), text: "🐱", x: 0, y: 0, size: 40, z: 0))
                }
                let operations = more + [.delete(EmojiID(7))] + more
                let expected = modelOutcome(operations, on: art)
                #expect(expected.messages.map { $0 == nil } == [true, false, true, true, true])
                #expect(try await scriptOutcome(operations, on: art, of: tab) == expected)
            }
        }
    }

    @Test func invalidArgumentThrowsErrorThatNamesIt() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                guard let url = URL(string: "\(server.origin)/art/boards/beach/state") else { return }
                try await tab.open(url)
                let messages = try await tab.evaluate(
                    """
                    (async () => {
                        const { instantiate } = await import('\(ArtPages.scripts)/../site/bridge.js');
                        const model = await instantiate('\(ArtPages.scripts)/board.wasm');
                        const messages = [];
                        for (const operation of [{ op: 'move', id: 'a', x: '1', y: 2 }, { op: 'fly' }, 7]) {
                            try { model.change('a', [operation]); } catch (error) { messages.push(error.message); }
                        }
                        return messages;
                    })()
                    """, as: [String].self)
                #expect(messages.count == 3)
                #expect(messages.first == "change: [0].x: It is not a number.")
            }
        }
    }
}

/// Random operations on few emoji, many of them invalid.
private struct OperationChance {
    private var chance: SeededChance

    init(seed: UInt64) {
        chance = SeededChance(seed: seed)
    }

    private mutating func pick<Value>(_ values: Value...) -> Value {
        values[Int.random(in: 0..<values.count, using: &chance)]
    }

    private mutating func id() -> EmojiID { EmojiID(Int.random(in: 0..<12, using: &chance)) }

    private mutating func place() -> Double {
        pick(
            0, -0.0, 0.1 + 0.2, BoardLimits.coordinate, -BoardLimits.coordinate, BoardLimits.coordinate.nextUp, 1e300,
            .leastNonzeroMagnitude, Double.random(in: -1000...1000, using: &chance))
    }

    private mutating func size() -> Double {
        pick(40, BoardLimits.sizes.lowerBound, 0.1.nextDown, BoardLimits.sizes.upperBound, 100_000.1, 0, -40)
    }

    private mutating func depth() -> Double {
        pick(0, -0.0, 1, 2.5, BoardLimits.depth, -BoardLimits.depth, 1e15 + 1, Double.random(in: 0...3, using: &chance))
    }

    private mutating func angle() -> Double { pick(0, 0, -0.0, 45, 360.0.nextDown, 360, -1, 1e300) }

    private mutating func text() -> String {
        pick(
            "🐶", "🐶", "👨‍👩‍👧‍👦", "🇦🇹", "e\u{301}", "\u{E9}", "", "a\u{0}", "a\u{85}", "\u{200B}", "\u{E000}",
            String(repeating: "a", count: 64), String(repeating: "a", count: 65), String(repeating: "🐶", count: 17))
    }

    private mutating func background() -> Background {
        let picture = PictureID(String(repeating: "0f", count: 32)).map(Background.picture) ?? .blank
        let long = "https://a.test/" + String(repeating: "ü", count: 10_000)
        return pick(
            .blank, picture, .address("https://a.test/1"), .address("HTTP://a.test/2"), .address("http:/a.test"),
            .address("ftp://a.test"), .address("data:image/png;base64,AAAA"), .address(""), .address(long),
            .address(String(long.dropLast(8))), .address("http://\u{301}a.test"), .address("http\u{17F}://a.test"))
    }

    mutating func operation() -> ArtOperation {
        switch Int.random(in: 0..<11, using: &chance) {
        case 0...2:
            // Often one that exists already, or a similar one.
            let isPlain = Bool.random(using: &chance)
            return .add(
                Emoji(
                    id: id(), text: isPlain ? pick("🐶", "e\u{301}", "\u{E9}") : text(), x: isPlain ? 1 : place(),
                    y: isPlain ? 2 : place(), size: isPlain ? 40 : size(), z: isPlain ? 0 : depth(),
                    angle: isPlain ? pick(0, 0, 0, 90) : angle(), isFlipped: isPlain ? false : pick(false, true),
                    isLocked: isPlain ? false : pick(false, true)))
        case 3: return .move(id(), x: place(), y: place())
        case 4: return .resize(id(), size: size())
        case 5: return .delete(id())
        case 6: return .reorder(id(), z: depth())
        case 7: return .rotate(id(), angle: angle())
        case 8: return .flip(id(), isFlipped: pick(false, true))
        case 9: return .lock(id(), isLocked: pick(false, true))
        default: return .setBackground(background())
        }
    }
}
