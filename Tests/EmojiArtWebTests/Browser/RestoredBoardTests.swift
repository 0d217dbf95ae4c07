import BrowserDriver
import EmojiArtModel
import EmojiArtStore
import Foundation
import HTTPTypes
import Persistence
import Testing

@testable import EmojiArtWeb

/// Tests a page that stays open while a backup is restored.
@Suite(.timeLimit(.minutes(20))) struct RestoredBoardTests {
    @Test func openPageShowsTheOlderRestoredBoardAndAMessage() async throws {
        try await restoreBackup {
            try await $0.runScript("page.lost = page.add({ x: 2 }); page.move(page.backedUp, 9)")
            try await $0.waitUntilSaved(on: $1)
        } then: { page, next in
            try await page.runScript("page.reconnect()")
            try await page.wait(until: "page.x(page.lost) === null && page.x(page.backedUp) === 1")
            #expect(
                try await page.refusalMessages == [
                    "This board was restored from a backup. Changes made after that backup are gone."
                ])
            // Changes work again in both directions.
            try await page.runScript("page.added = page.add({ x: 5 })")
            try await next.addDog("d1", x: 7)
            try await page.wait(until: "page.x('d1') === 7")
            try await page.waitUntilSaved(on: next)
            #expect(try await next.state().revision == 3)
            #expect(try await page.art == next.art())
        }
    }

    @Test func openPageShowsTheRestoredBoardAtTheSameRevision() async throws {
        try await restoreBackup {
            try await $0.runScript("page.lost = page.add({ x: 2 })")
            try await $0.waitUntilSaved(on: $1)
        } then: { page, next in
            try await next.addDog("d1", x: 7)
            #expect(try await page.run("return sync.revision;", as: Int.self) == 2)
            #expect(try await next.state().revision == 2)
            try await page.runScript("page.reconnect()")
            try await page.wait(
                until: "page.x('d1') === 7 && page.x(page.lost) === null && page.x(page.backedUp) === 1")
            #expect(try await page.art == next.art())
        }
    }

    @Test func unsentChangesAreSentToTheRestoredBoard() async throws {
        try await restoreBackup {
            try await $0.runScript("page.lost = page.add({ x: 2 })")
            try await $0.waitUntilSaved(on: $1)
            try await $0.runScript("page.disconnect(); page.waiting = page.add({ x: 3 })")
            try await $0.wait(until: "page.sync.status === 'offline'")
        } then: { page, next in
            try await page.runScript("page.reconnect()")
            try await page.wait(until: "page.x(page.lost) === null")
            try await page.waitUntilSaved(on: next)
            #expect(try await next.art().emojis.map(\.x).sorted() == [1, 3])
            #expect(try await page.art == next.art())
        }
    }

    @Test func revisionOfAnotherEpochGetsTheWholeBoard() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.addDog("d1")
            let epoch = try await server.state().epoch
            let known: EntriesJSON = try await server.ask(
                .get, "/art/boards/beach/entries?since=0&epoch=\(epoch)"
            ).json()
            #expect(known.entries?.map(\.id) == ["add-d1"])
            let other: EntriesJSON = try await server.ask(.get, "/art/boards/beach/entries?since=1&epoch=other")
                .json()
            #expect(other.entries == nil)
            #expect(other.revision == 1)
            #expect(other.epoch == epoch)
            let events = try await server.ask(.get, "/art/boards/beach/events?since=1&epoch=other")
            #expect(events.status == 409)
            #expect(events.detail == "This page may show an outdated board. Reload it.")
        }
    }

    /// Backs up a board with one emoji, `page.backedUp`, and restores the backup while a page is open.
    ///
    /// - Parameters:
    ///   - after: Runs after the backup, before the restore.
    ///   - then: Runs with the restored server; the page is offline.
    /// - Throws: The error of a closure or a server.
    private func restoreBackup(
        after: (SyncedPage, BoardServer) async throws -> Void, then: (SyncedPage, BoardServer) async throws -> Void
    ) async throws {
        try await BoardServer.runRestartable { server, restart in
            try await server.createBoard()
            let backup = server.folder.path + "-backup.tar"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            try await BrowserTab.run { tab in
                let page = try await SyncedPage(tab, of: server)
                try await page.runScript("page.backedUp = page.add({ x: 1 })")
                try await page.waitUntilSaved(on: server)
                try await server.backUp(to: backup)
                try await after(page, server)
                try await page.runScript("if (!page.onlineEventSource) page.disconnect()")
                try await server.stop()
                for name in try FileManager.default.contentsOfDirectory(atPath: server.folder.path) {
                    try FileManager.default.removeItem(atPath: "\(server.folder.path)/\(name)")
                }
                _ = try await Backup.restore(backup, into: server.folder, migrations: BoardMigrations.all)
                let next = try await restart()
                do {
                    try await then(page, next)
                } catch {
                    try? await next.stop()
                    throw error
                }
                try await next.stop()
            }
        }
    }
}
