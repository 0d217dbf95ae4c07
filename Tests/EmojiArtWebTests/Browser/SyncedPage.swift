import BrowserDriver
import EmojiArtModel
import Foundation
import Persistence

@testable import EmojiArtWeb

/// A tab with a board's synchronized copy, without the scripts that draw the board.
struct SyncedPage {
    let tab: BrowserTab

    /// Opens the board's state in a tab and defines `page` there.
    init(_ tab: BrowserTab, of server: BoardServer, board: String = "beach") async throws {
        self.tab = tab
        guard let url = URL(string: "\(server.origin)/art/boards/\(board)/state") else { throw CancellationError() }
        try await tab.open(url)
        _ = try await tab.evaluate("(async () => { \(Self.script) return true; })()", as: Bool.self)
    }

    /// Defines `page`: the board's copy, and functions for tests.
    ///
    /// `disconnect()` and `reconnect()` simulate the network.
    private static let script = """
        const { BoardSync } = await import('\(ArtPages.scripts)/board-sync.js');
        const { instantiate } = await import('\(ArtPages.scripts)/../site/bridge.js');
        const model = await instantiate('\(ArtPages.scripts)/board.wasm');
        const state = JSON.parse(document.body.innerText);
        const network = { fetch: window.fetch, EventSource: window.EventSource, streams: new Set() };
        window.EventSource = class extends network.EventSource {
            constructor(address) {
                super(address);
                network.streams.add(this);
            }
        };
        const page = {
            newID: () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16)).join(''),
            messages: [],
            isGone: false,
            sync: new BoardSync({ id: state.id, state, model }),
            dog: (more) => ({ id: page.newID(), text: '🐶', x: 0, y: 0, size: 40, z: 0, ...more }),
            add(more) {
                const emoji = page.dog(more);
                page.sync.model.change('Add 🐶', [{ op: 'add', emoji }]);
                return emoji.id;
            },
            // A drag of an emoji by the mouse, on a view of 800 × 600 at 100 %.
            drag(id) {
                const { model } = page.sync;
                const { x: startX, y } = page.sync.art.emojis.get(id);
                const point = (x) => [1, 'mouse', 400 + x, 300 - y, 0, performance.now()];
                model.resize(800, 600);
                model.setView(1, 0, 0);
                model.pointerDown(...point(startX));
                let lastX = startX;
                return {
                    move(x) {
                        lastX = x;
                        model.pointerMoved(...point(x));
                    },
                    end: () => model.pointerUp(...point(lastX)),
                    cancel: () => model.cancelPointers(),
                };
            },
            move: (id, x) => page.sync.model.change('Move 🐶', [{ op: 'move', id, x, y: 0 }]),
            x: (id) => page.sync.art.emojis.get(id)?.x ?? null,
            disconnect() {
                page.onlineEventSource = window.EventSource;
                window.fetch = () => Promise.reject(new TypeError('There is no network.'));
                window.EventSource = class extends EventTarget {
                    static CLOSED = 2;
                    readyState = 0;
                    constructor() {
                        super();
                        queueMicrotask(() => this.dispatchEvent(new Event('error')));
                    }
                    close() {}
                };
                for (const stream of network.streams) stream.dispatchEvent(new Event('error'));
                network.streams.clear();
            },
            reconnect() {
                window.fetch = network.fetch;
                window.EventSource = page.onlineEventSource;
                window.dispatchEvent(new Event('online'));
            },
            // Performs random edits; the same seed gives the same edits.
            async play(seed, count) {
                let state = seed;
                const chance = (below) => {
                    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
                    return Math.floor((state / 2 ** 32) * below);
                };
                for (let index = 0; index < count; index += 1) {
                    const { art, model } = page.sync;
                    const all = art.ordered();
                    const { id } = all.length ? all[chance(all.length)] : { id: page.add({ x: chance(100) }) };
                    switch (chance(11)) {
                        case 0: page.add({ x: chance(100), z: chance(5) }); break;
                        case 1: page.move(id, chance(100)); break;
                        case 2: model.change('Resize 🐶', [{ op: 'resize', id, size: 1 + chance(100) }]); break;
                        case 3: model.change('To Front', [{ op: 'reorder', id, z: chance(10) }]); break;
                        case 4: model.change('Delete 🐶', [{ op: 'delete', id }]); break;
                        case 5: model.undo(1); break;
                        case 6: model.redo(1); break;
                        case 8: model.change('Rotate 🐶', [{ op: 'rotate', id, angle: chance(360) }]); break;
                        case 9: model.change('Flip 🐶', [{ op: 'flip', id, flipped: chance(2) === 1 }]); break;
                        case 10: model.change('Lock 🐶', [{ op: 'lock', id, locked: chance(2) === 1 }]); break;
                        case 7: {
                            if (page.x(id) === null) break;
                            const gesture = page.drag(id);
                            for (let step = 0; step < 5; step += 1) {
                                gesture.move(chance(100));
                                await new Promise(requestAnimationFrame);
                            }
                            if (chance(3)) gesture.end();
                            else gesture.cancel();
                        }
                    }
                    await new Promise(requestAnimationFrame);
                }
            },
        };
        page.sync.addEventListener('refused', ({ detail }) => page.messages.push(...detail.messages));
        page.sync.addEventListener('gone', () => (page.isGone = true));
        window.page = page;
        """
}

extension SyncedPage {
    /// Runs a script that can use `page` and `sync`, and returns its result.
    @discardableResult
    func run<Value: Decodable & Sendable>(_ script: String, as type: Value.Type = Bool.self) async throws -> Value {
        try await tab.evaluate("(async () => { const { sync } = page; \(script) })()", as: type)
    }

    /// Runs a script without a result.
    func runScript(_ script: String) async throws {
        try await run("\(script); return true;")
    }

    /// Waits until a condition of the page is true.
    func wait(until condition: String) async throws {
        try await tab.wait(until: condition)
    }

    /// Waits until the server has saved the page's changes and the page has the server's revision.
    func waitUntilSaved(on server: BoardServer) async throws {
        try await server.waitUntilSaved([self])
    }

    /// The board according to the page's copy.
    var art: EmojiArt {
        get async throws { try ArtJSON.read(from: Data(try await shown.utf8)) }
    }

    private var shown: String {
        get async throws {
            let script = "return JSON.stringify({ background: sync.art.background, emojis: sync.art.ordered() });"
            return try await run(script, as: String.self)
        }
    }

    /// The messages about refused steps.
    var refusalMessages: [String] {
        get async throws { try await run("return page.messages;", as: [String].self) }
    }

    var undoNames: [String] {
        get async throws { try await run("return sync.undoNames;", as: [String].self) }
    }
}

extension BoardServer {
    /// The stored board.
    func art(of board: String = "beach") async throws -> EmojiArt {
        guard let id = BoardID(board), let found = try await store.board(id, owner: .local) else {
            throw CancellationError()
        }
        return found.art
    }

    /// Waits until the server has saved the pages' changes and each page has the server's revision.
    func waitUntilSaved(_ pages: [SyncedPage]) async throws {
        for page in pages { try await page.wait(until: "page.sync.status === 'saved'") }
        let revision = try await state().revision
        for page in pages { try await page.wait(until: "page.sync.revision >= \(revision)") }
    }

    /// Runs a body with a page of an empty board.
    static func runWithPage(_ body: (BoardServer, SyncedPage) async throws -> Void) async throws {
        try await run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                try await body(server, try await SyncedPage(tab, of: server))
                // Some tests cause failed loads on purpose; no test causes a script error.
                let complaints = await tab.complaints.filter { !$0.hasPrefix("Failed to load resource") }
                guard complaints.isEmpty else { throw PageComplaints(description: "\(complaints)") }
            }
        }
    }
}

/// Errors that a page reported and no test expects.
struct PageComplaints: Error, CustomStringConvertible {
    let description: String
}
