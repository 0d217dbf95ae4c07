import Foundation
import Persistence
import Testing

@testable import Checklist

/// Tests the server, each test with a data folder of its own.
@Suite(.timeLimit(.minutes(10))) final class ChecklistServerTests: Sendable {
    private let folder: DataFolder

    init() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "checklist-\(UUID().uuidString)").path()
        folder = try DataFolder.open(at: path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder.path)
    }

    @Test func formsWorkWithoutScripts() async throws {
        try await ChecklistServer.run(in: folder, port: 0) { port in
            let browser = Browser(port: port)
            try await browser.submit("/checklist/items", "list=Groceries&text=Milk+%26+honey")
            #expect(try await browser.page().contains("Milk &amp; honey"))
            try await browser.submit(try await browser.form("/done"), "done=true")
            #expect(try await browser.page().contains("Not done"))
            try await browser.submit(try await browser.form("/delete"))
            #expect(try await browser.page().contains("“Milk &amp; honey” was deleted"))
            try await browser.submit(try await browser.form("/restore"))
            #expect(try await browser.page().contains("Not done"))
            let refusal = try await browser.send("POST", "/checklist/items", "list=Groceries&text=")
            #expect(refusal.hasPrefix("HTTP/1.1 422 ") && refusal.contains("Enter 1 to 200 characters"))
        }
    }

    @Test func otherTabReceivesAChange() async throws {
        try await ChecklistServer.run(in: folder, port: 0) { port in
            let browser = Browser(port: port)
            let events = try await browser.send("GET", "/checklist/events", until: "Milk", after: "Nothing to do") {
                try await browser.submit("/checklist/items", "list=Groceries&text=Milk")
            }
            #expect(events.contains("event: lists") && events.contains("Milk"))
        }
    }

    @Test func listsSurviveARestart() async throws {
        try await ChecklistServer.run(in: folder, port: 0) { port in
            try await Browser(port: port).submit("/checklist/items", "list=Groceries&text=Milk")
        }
        try await ChecklistServer.run(in: folder, port: 0) { port in
            let page = try await Browser(port: port).page()
            #expect(page.contains("Milk"))
        }
    }
}
