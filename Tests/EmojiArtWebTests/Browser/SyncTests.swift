import BrowserDriver
import EmojiArtModel
import Foundation
import Persistence
import Testing

@testable import EmojiArtWeb

/// Changes on a page reach the server and the other pages, whatever happens in between.
@Suite(.timeLimit(.minutes(20))) struct SyncTests {
    @Test func concurrentChangesOfTwoPeopleConverge() async throws {
        try await BoardServer.runWithPage { server, one in
            let other = try await SyncedPage(try await one.tab.openInNewContext(), of: server)
            let me = "return (await (await fetch(location.href)).json()).me;"
            #expect(try await one.run(me, as: String.self) != other.run(me, as: String.self))
            for seed in 1...3 {
                async let first: Void = one.runScript("await page.play(\(seed), 40)")
                async let second: Void = other.runScript("await page.play(\(seed + 100), 40)")
                _ = try await (first, second)
            }
            try await server.waitUntilSaved([one, other])
            let art = try await server.art()
            #expect(try await one.art == art)
            #expect(try await other.art == art)
        }
    }

    @Test func aGestureIsSeenInAnotherTabBeforeItEnds() async throws {
        try await BoardServer.runWithPage { server, page in
            let other = try await SyncedPage(try await page.tab.openAnother(), of: server)
            let id = try await page.run("return page.add({ x: 1 });", as: String.self)
            try await page.runScript(
                """
                page.gesture = page.drag('\(id)');
                for (let x = 2; x <= 50; x += 1) page.gesture.move(x);
                """)
            try await other.wait(until: "page.x('\(id)') === 50")
            try await page.runScript("page.gesture.end()")
            // However many batches the page sent, the gesture is one step.
            #expect(try await page.undoNames == ["Move 🐶", "Add 🐶"])
            try await page.runScript("sync.model.undo(1)")
            try await other.wait(until: "page.x('\(id)') === 1")
        }
    }

    @Test func cancelledGestureIsRevertedInEveryTab() async throws {
        try await BoardServer.runWithPage { server, page in
            let other = try await SyncedPage(try await page.tab.openAnother(), of: server)
            let id = try await page.run("return page.add({ x: 1 });", as: String.self)
            try await page.runScript(
                "page.gesture = page.drag('\(id)'); page.gesture.move(9);"
            )
            try await other.wait(until: "page.x('\(id)') === 9")
            try await page.runScript("page.gesture.cancel()")
            try await other.wait(until: "page.x('\(id)') === 1")
            #expect(try await page.run("return page.x('\(id)');", as: Int.self) == 1)
            #expect(try await page.undoNames == ["Add 🐶"])
        }
    }

    @Test func undoRevertsOnlyChangesOfThisTab() async throws {
        try await BoardServer.runWithPage { server, page in
            let other = try await SyncedPage(try await page.tab.openAnother(), of: server)
            let mine = try await page.run("return page.add({ x: 1 });", as: String.self)
            try await other.wait(until: "page.x('\(mine)') === 1")
            let theirs = try await other.run("return page.add({ x: 2 });", as: String.self)
            try await other.runScript("page.move('\(mine)', 5)")
            try await page.wait(until: "page.x('\(theirs)') === 2 && page.x('\(mine)') === 5")
            #expect(try await page.run("return sync.model.undo(1);"))
            try await other.wait(until: "page.x('\(mine)') === null")
            #expect(try await other.run("return page.x('\(theirs)');", as: Int.self) == 2)
            // A redo restores the state from before the undo.
            #expect(try await page.run("return sync.redoNames;", as: [String].self) == ["Add 🐶"])
            #expect(try await page.run("return sync.model.redo(1);"))
            try await other.wait(until: "page.x('\(mine)') === 5")
            #expect(try await page.refusalMessages == [])
        }
    }

    @Test func impossibleUndoIsReported() async throws {
        try await BoardServer.runWithPage { server, page in
            let other = try await SyncedPage(try await page.tab.openAnother(), of: server)
            let id = try await page.run("return page.add();", as: String.self)
            try await page.runScript("page.move('\(id)', 5)")
            try await other.wait(until: "page.x('\(id)') === 5")
            try await other.runScript("sync.model.change('Delete 🐶', [{ op: 'delete', id: '\(id)' }])")
            try await page.wait(until: "page.x('\(id)') === null")
            #expect(try await page.run("return !sync.model.undo(1);"))
            #expect(
                try await page.refusalMessages == [
                    "“Move 🐶” could not be undone: one of its emoji was deleted."
                ])
        }
    }

    @Test func changeRefusedByServerIsRevertedAndReported() async throws {
        try await BoardServer.runWithPage { server, page in
            let unknown = String(repeating: "0", count: 64)
            try await page.runScript(
                """
                page.id = page.add({ x: 3 });
                sync.model.change('Set Background', [{ op: 'background', background: { picture: '\(unknown)' } }]);
                """)
            try await page.waitUntilSaved(on: server)
            #expect(
                try await page.refusalMessages == [
                    "The background was not set: its picture is no longer stored. Drop the picture again."
                ])
            #expect(try await page.art == server.art())
            #expect(try await page.art.background == .blank)
            // A refused step can't be undone.
            #expect(try await page.undoNames == ["Add 🐶"])
        }
    }

    @Test func invalidChangeIsRefusedBeforeSending() async throws {
        try await BoardServer.runWithPage { server, page in
            let isDone = try await page.run(
                """
                return sync.model.change('Add', [
                    { op: 'add', emoji: page.dog({ x: 1e12 }) }, { op: 'add', emoji: page.dog({ text: 'a\\nb' }) },
                    { op: 'move', id: 'missing', x: 1, y: 1 },
                ]);
                """)
            #expect(!isDone)
            #expect(try await page.refusalMessages.count == 3)
            #expect(try await server.state().revision == 0)
        }
    }

    @Test func oversizedStepIsSentInPieces() async throws {
        try await BoardServer.runWithPage { server, page in
            try await page.runScript(
                """
                const emojis = Array.from({ length: 9000 }, (_, index) => page.dog({ x: index + 0.25, z: index }));
                sync.model.change('Paste', emojis.flatMap((emoji) => [
                    { op: 'add', emoji }, { op: 'resize', id: emoji.id, size: 20 }, { op: 'move', id: emoji.id, x: 1, y: 2 },
                ]));
                """)
            try await page.waitUntilSaved(on: server)
            let art = try await server.art()
            #expect(art.emojis.count == 9000)
            #expect(art.emojis.allSatisfy { $0.size == 20 && $0.x == 1 && $0.y == 2 })
            #expect(try await page.art == art)
            #expect(try await page.undoNames == ["Paste"])
        }
    }

    @Test func deletionIsReportedAndLaterChangeIsSentAfterRestore() async throws {
        try await BoardServer.runWithPage { server, page in
            let id = try await page.run("return page.add({ x: 1 });", as: String.self)
            try await page.waitUntilSaved(on: server)
            let beach = try #require(BoardID("beach"))
            try await server.store.delete(beach, owner: .local)
            try await page.wait(until: "page.isGone && page.sync.status === 'failed'")
            try await page.runScript("page.move('\(id)', 7)")
            // The board is restored, and the page sends the change made meanwhile.
            try await server.store.restore(beach, owner: .local)
            try await page.waitUntilSaved(on: server)
            #expect(try await server.art().emojis.map(\.x) == [7])
        }
    }

    @Test func hiddenPageStopsFollowingAndCatchesUpWhenShown() async throws {
        try await BoardServer.runWithPage { server, page in
            let other = try await SyncedPage(try await page.tab.openAnother(), of: server)
            func show(_ state: String) async throws {
                try await other.runScript(
                    """
                    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '\(state)' });
                    document.dispatchEvent(new Event('visibilitychange'));
                    """)
            }
            try await show("hidden")
            let mine = try await page.run("return page.add({ x: 1 });", as: String.self)
            try await page.waitUntilSaved(on: server)
            // A hidden page still sends its own changes.
            let theirs = try await other.run("return page.add({ x: 2 });", as: String.self)
            try await page.wait(until: "page.x('\(theirs)') === 2")
            try await other.wait(until: "page.sync.status === 'saved'")
            #expect(try await other.run("return page.x('\(mine)') === null && sync.revision === 0;"))
            try await show("visible")
            try await server.waitUntilSaved([page, other])
            #expect(try await other.art == server.art())
        }
    }

    /// The page's copy lacks an emoji, so the emoji's move can't be applied to it.
    @Test func brokenCopyIsReplacedByTheNewestState() async throws {
        try await BoardServer.runWithPage { server, page in
            try await server.addDog("d1")
            try await page.runScript(
                """
                const { BoardSync } = await import('\(ArtPages.scripts)/board-sync.js');
                const { fetch: ask } = window;
                const state = await (await ask(location.href)).json();
                // The page's first copy stops following the board.
                window.dispatchEvent(new Event('pagehide'));
                const { instantiate } = await import('\(ArtPages.scripts)/../site/bridge.js');
                const model = await instantiate('\(ArtPages.scripts)/board.wasm');
                page.sync = new BoardSync({ id: state.id, state: { ...state, art: { ...state.art, emojis: [] } }, model });
                page.sync.addEventListener('refused', ({ detail }) => page.messages.push(...detail.messages));
                window.fetch = async (...all) => {
                    const response = await ask(...all);
                    if (!String(all[0]).endsWith('/state')) return response;
                    window.fetch = ask;
                    await new Promise((done) => (page.release = done));
                    return response;
                };
                """)
            try await server.send(#"{"op":"move","id":"d1","x":5,"y":0}"#, as: "move-d1")
            // The response is older than the next change, which the stream delivers first.
            try await page.wait(until: "page.release")
            try await server.addDog("d2", x: 7)
            try await page.wait(until: "page.x('d2') === 7")
            try await page.runScript("page.release()")
            try await page.wait(until: "page.x('d1') === 5")
            #expect(try await page.refusalMessages == [])
            #expect(try await page.art == server.art())
        }
    }

    @Test func newNameReachesEveryTab() async throws {
        try await BoardServer.runWithPage { server, page in
            let other = try await SyncedPage(try await page.tab.openAnother(), of: server)
            try await page.runScript("await sync.rename('Läuse & Flöhe')")
            try await other.wait(until: "page.sync.name === 'Läuse & Flöhe'")
            let message = try await page.run(
                """
                const upload = sync.uploadPicture(new Blob(['no picture']));
                return upload.then(() => '', (error) => error.message);
                """, as: String.self
            )
            #expect(!message.isEmpty)
        }
    }
}
