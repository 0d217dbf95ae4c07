import BrowserDriver
import EmojiArtModel
import Foundation
import Persistence
import Testing

@testable import EmojiArtWeb

/// Tests that no change is lost while the server is unreachable or the page is closed.
@Suite(.timeLimit(.minutes(20))) struct OfflineSyncTests {
    @Test func offlineChangesOfTwoPagesConverge() async throws {
        try await BoardServer.runWithPage { server, one in
            let other = try await SyncedPage(try await one.tab.openInNewContext(), of: server)
            let id = try await one.run("return page.add({ x: 1 });", as: String.self)
            try await other.wait(until: "page.x('\(id)') === 1")
            for page in [one, other] {
                try await page.runScript("page.disconnect()")
                try await page.wait(until: "page.sync.status === 'offline'")
            }
            async let first: Void = one.runScript("await page.play(1, 30); page.last = page.add({ x: 11 })")
            async let second: Void = other.runScript("await page.play(2, 30); page.last = page.add({ x: 22 })")
            _ = try await (first, second)
            let text = try await one.run("return sync.statusText;", as: String.self)
            #expect(
                text.hasPrefix("Offline: ")
                    && text.hasSuffix("changes are waiting to be sent. The server didn't respond."))
            #expect(try await server.state().revision == 1)
            for page in [one, other] { try await page.runScript("page.reconnect()") }
            try await server.waitUntilSaved([one, other])
            let art = try await server.art()
            #expect(try await one.art == art)
            #expect(try await other.art == art)
            for (page, x) in [(one, 11), (other, 22)] {
                #expect(try await page.run("return page.x(page.last);", as: Int.self) == x)
            }
        }
    }

    @Test func lostResponseDoesNotRepeatChange() async throws {
        try await BoardServer.runWithPage { server, page in
            let id = try await page.run(
                """
                const { fetch } = window;
                window.fetch = async (...all) => {
                    await fetch(...all);
                    window.fetch = fetch;
                    throw new TypeError('The answer is lost.');
                };
                return page.add({ x: 1 });
                """, as: String.self)
            try await page.waitUntilSaved(on: server)
            #expect(try await server.art().emojis.map(\.id.rawValue) == [id])
            #expect(try await server.state().revision == 1)
            #expect(try await page.refusalMessages == [])
        }
    }

    @Test func pendingChangesAreSentAfterReload() async throws {
        try await BoardServer.runWithPage { server, page in
            let id = try await page.run("page.disconnect(); return page.add({ x: 1 });", as: String.self)
            try await page.runScript("page.move('\(id)', 5)")
            try await page.wait(until: "page.sync.status === 'offline'")
            let again = try await SyncedPage(page.tab, of: server)
            try await again.wait(until: "page.x('\(id)') === 5 && page.sync.status === 'saved'")
            #expect(try await server.art().emojis.map(\.x) == [5])
            // Nothing is left to be sent again.
            try await again.wait(until: "!Object.keys(localStorage).some((key) => key.includes('outbox'))")
        }
    }

    @Test func changeWaitsOnPageWhileDiskIsFull() async throws {
        try await BoardServer.runRestartable { server, restart in
            try await server.createBoard()
            var folder = server.folder
            folder.budget.freeDisk = .bytes(.max)
            try await BrowserTab.run { tab in
                let page = try await SyncedPage(tab, of: server)
                try await server.stop()
                let full = try await BoardServer.start(in: folder, allowing: ["127.0.0.1"], port: server.port)
                let id = try await page.run("return page.add({ x: 1 });", as: String.self)
                try await page.wait(until: "page.sync.status === 'failed'")
                let text = try await page.run("return page.sync.statusText;", as: String.self)
                #expect(text.hasPrefix("Not saved. The disk is almost full") && text.contains("One change is waiting"))
                let reloaded = try await SyncedPage(tab, of: full)
                try await reloaded.wait(until: "page.x('\(id)') === 1 && page.sync.status === 'failed'")
                #expect(try await full.art().emojis.isEmpty)
                try await full.stop()
                let next = try await restart()
                try await reloaded.waitUntilSaved(on: next)
                #expect(try await next.art().emojis.map(\.x) == [1])
                try await next.stop()
            }
        }
    }

    @Test func pendingChangesOfClosedTabAreSentByAnotherTab() async throws {
        try await BoardServer.runWithPage { server, page in
            let other = try await SyncedPage(try await page.tab.openAnother(), of: server)
            // Wait until both tabs hold their locks.
            try await other.runScript(
                "while ((await navigator.locks.query()).held.length < 2) await new Promise(requestAnimationFrame)")
            let id = try await other.run("page.disconnect(); return page.add({ x: 1 });", as: String.self)
            try await other.runScript("page.move('\(id)', 5)")
            try await other.wait(until: "page.sync.status === 'offline'")
            #expect(try await page.run("return page.x('\(id)') === null;"))
            await other.tab.close()
            try await page.wait(until: "page.x('\(id)') === 5")
            try await page.waitUntilSaved(on: server)
            #expect(try await server.art().emojis.map(\.x) == [5])
        }
    }

    /// Another tab takes over a change of a page in the back/forward cache, and sends it joined with a later one.
    @Test func returningPageDoesNotSendChangesThatAnotherTabHasTakenOver() async throws {
        try await BoardServer.runWithPage { server, page in
            let other = try await SyncedPage(try await page.tab.openAnother(), of: server)
            let id = try await page.run("return page.add({ x: 1 });", as: String.self)
            try await other.wait(until: "page.x('\(id)') === 1")
            try await server.waitUntilSaved([page, other])
            for page in [page, other] {
                try await page.runScript(
                    """
                    page.fetch = window.fetch;
                    page.leave = () => window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
                    page.disconnect();
                    """)
            }
            try await page.runScript("page.move('\(id)', 10); page.leave()")
            // The other tab has stored the change under its own key.
            try await other.wait(until: "page.x('\(id)') === 10")
            try await other.runScript("page.move('\(id)', 20); window.fetch = page.fetch; page.leave()")
            try await eventually("the server has both changes") { try await server.art().emojis.map(\.x) == [20] }
            try await page.runScript(
                """
                window.fetch = page.fetch;
                window.EventSource = page.onlineEventSource;
                window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
                await sync.flush();
                """)
            try await page.waitUntilSaved(on: server)
            try await page.wait(until: "page.x('\(id)') === 20")
            #expect(try await server.art().emojis.map(\.x) == [20])
            #expect(try await page.refusalMessages == [])
        }
    }

    @Test func unfinishedChangesAreSentWhenPageIsLeft() async throws {
        try await BoardServer.runWithPage { server, page in
            // Several steps, of which one is in flight, and an unfinished gesture.
            try await page.runScript(
                """
                const id = page.add({ x: 1 });
                for (let x = 2; x <= 5; x += 1) page.move(id, x);
                page.drag(id).move(12);
                location.href = 'about:blank';
                """)
            try await eventually("the server has all changes") { try await server.art().emojis.map(\.x) == [12] }
        }
    }

    /// The request that was in flight when the page was left reaches the server after the page's last one.
    @Test func requestOfLeftPageThatArrivesLateDoesNotRevertLaterChanges() async throws {
        try await BoardServer.runWithPage { server, page in
            let id = try await page.run("return page.add({ x: 1 });", as: String.self)
            try await page.waitUntilSaved(on: server)
            try await page.runScript(
                """
                const { fetch } = window;
                window.fetch = (address, options) => {
                    page.sendLate = () => fetch(address, { ...options, signal: null });
                    return new Promise(() => {});
                };
                page.move('\(id)', 10);
                page.move('\(id)', 20);
                const responses = [];
                window.fetch = (...all) => {
                    const response = fetch(...all);
                    responses.push(response);
                    return response;
                };
                window.dispatchEvent(new Event('pagehide'));
                await Promise.all(responses);
                window.fetch = fetch;
                """)
            #expect(try await server.art().emojis.map(\.x) == [20])
            #expect(try await page.run("return (await page.sendLate()).status;", as: Int.self) == 200)
            #expect(try await server.art().emojis.map(\.x) == [20])
        }
    }

    @Test func pageWithoutBrowserStorageWarnsAndStillSends() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                let page = try await SyncedPage(tab, of: server)
                try await page.runScript(
                    """
                    Storage.prototype.setItem = () => { throw new DOMException('It is full.', 'QuotaExceededError'); };
                    page.disconnect();
                    page.add({ x: 1 });
                    """)
                try await page.wait(
                    until: "page.sync.status === 'offline' && page.sync.statusText.includes('if you close the tab')")
                try await page.runScript("page.reconnect()")
                try await page.waitUntilSaved(on: server)
                #expect(try await server.art().emojis.map(\.x) == [1])
                #expect(try await page.run("return sync.statusText;", as: String.self) == "Saved")
            }
        }
    }
}
