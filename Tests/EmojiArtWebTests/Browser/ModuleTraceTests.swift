import BoardModel
import BoardTraces
import BrowserDriver
import Foundation
import StoreTesting
import Testing

@testable import EmojiArtWeb

/// Tests that the model returns the same as WebAssembly in Chromium and natively, call by call and bit by bit.
@Suite(.timeLimit(.minutes(60))) struct ModuleTraceTests {
    /// The first call whose outcome differed in the browser.
    private struct Difference: Codable {
        var index: Int
        var call: ModuleTrace.Call
        var outcome: String
        var numbers: [String]
    }

    /// Repeats the calls of a trace, with the random numbers of its seed.
    ///
    /// Resolves to the first difference, or null.
    ///
    /// Texts of JSON are compared once they have been read, because JavaScript writes numbers in another form.
    private static let script = """
        (async () => {
            let state = BigInt('%SEED%');
            const word = (number) => BigInt.asUintN(64, number);
            const next = () => {
                state = word(state + 0x9E3779B97F4A7C15n);
                let mixed = word((state ^ (state >> 30n)) * 0xBF58476D1CE4E5B9n);
                mixed = word((mixed ^ (mixed >> 27n)) * 0x94D049BB133111EBn);
                return mixed ^ (mixed >> 31n);
            };
            Object.defineProperty(crypto, 'getRandomValues', {
                configurable: true,
                value(bytes) {
                    if (bytes.length !== 8) throw new Error(`${bytes.length} random bytes were requested.`);
                    new DataView(bytes.buffer, bytes.byteOffset, 8).setBigUint64(0, next(), true);
                    return bytes;
                },
            });
            const { instantiate } = await import('\(ArtPages.scripts)/../site/bridge.js');
            const model = await instantiate('\(ArtPages.scripts)/board.wasm');
            // The module takes random numbers for its hash tables before it uses the first one.
            const emojis = [{ id: 'a', text: 'a', x: 0, y: 0, size: 1, z: 0 }];
            model.open({ revision: 0, epoch: '', art: { background: null, emojis } });
            state = BigInt('%SEED%');
            const normalized = (text) => text.startsWith('{') ? JSON.stringify(JSON.parse(text)) : text;
            for (const [index, call] of %CALLS%.entries()) {
                let [outcome, numbers] = ['', []];
                try {
                    const { numbers: found, ...rest } = model[call.function](...JSON.parse(call.arguments));
                    outcome = JSON.stringify(rest);
                    const view = new DataView(found.buffer, found.byteOffset, found.byteLength);
                    numbers = Array.from(found, (_, each) => view.getBigUint64(each * 8, true).toString(16));
                } catch (error) {
                    outcome = error.message;
                }
                if (outcome !== normalized(call.outcome) || numbers.join() !== call.numbers.join()) {
                    return JSON.stringify({ index, call, outcome, numbers });
                }
            }
            return 'null';
        })()
        """

    private static func difference(
        in calls: [ModuleTrace.Call], seed: UInt64, of tab: BrowserTab
    ) async throws -> Difference? {
        let calls = String(decoding: try JSONEncoder().encode(calls), as: UTF8.self)
        let script = script.replacing("%SEED%", with: "\(seed)").replacing("%CALLS%", with: calls)
        return try JSONDecoder().decode(
            Difference?.self, from: Data(try await tab.evaluate(script, as: String.self).utf8))
    }

    /// Opens a page that has the scripts, but no board of its own.
    private static func withTab(_ body: (BrowserTab) async throws -> Void) async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                guard let url = URL(string: "\(server.origin)/art/boards/beach/state") else { return }
                try await tab.open(url)
                try await body(tab)
            }
        }
    }

    @Test func courseStepsHaveSameOutcomeInModuleAndModel() async throws {
        try await Self.withTab { tab in
            for seed in 0..<100 {
                let trace = BothDocuments.walk(seed: seed) { _ in }.own.trace
                let difference = try await Self.difference(in: trace.calls, seed: trace.seed, of: tab)
                #expect(difference == nil, "seed \(seed)")
            }
        }
    }

    @Test func randomCallsHaveSameOutcomeInModuleAndModel() async throws {
        try await Self.withTab { tab in
            var called: Set<String> = []
            for seed in 0..<(isSoak ? 2_500 : 40) {
                let trace = ModuleTrace.random(seed: seed, count: 400)
                let difference = try await Self.difference(in: trace.calls, seed: trace.seed, of: tab)
                #expect(difference == nil, "seed \(seed)")
                called.formUnion(trace.calls.map { $0.function })
            }
            #expect(called == Set(BoardModule.Function.allCases.map { $0.rawValue }))
        }
    }

    @Test func differentOutcomeIsFound() async throws {
        try await Self.withTab { tab in
            let trace = ModuleTrace.random(seed: 1, count: 20)
            var calls = trace.calls
            calls[7].numbers.append("0")
            let difference = try await Self.difference(in: calls, seed: trace.seed, of: tab)
            #expect(difference?.index == 7)
        }
    }
}
