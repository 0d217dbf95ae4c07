import BrowserDriver
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import Site
import Testing

@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests the pages of imports.
@Suite(.timeLimit(.minutes(20))) struct ImportPageTests {
    private func send(
        _ body: String, to server: LibraryServer, type: String = "multipart/form-data; boundary=x"
    ) async throws -> (status: Int, text: String, location: String?) {
        var request = URLRequest(url: try server.url("/library/import"))
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.setValue("tests", forHTTPHeaderField: "X-Requested-With")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let session = URLSession(configuration: .ephemeral, delegate: NoRedirect(), delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let (data, response) = try await session.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        return (answer.statusCode, String(decoding: data, as: UTF8.self), answer.value(forHTTPHeaderField: "Location"))
    }

    private static func form(_ content: String, name: String = "a.txt", formats: [String] = ["png"]) -> String {
        let fields = formats.map { "--x\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\non\r\n" }
        return "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n\(content)\r\n"
            + fields.joined() + "--x--\r\n"
    }

    /// Two pages can't be saved, one fails at first, and the others are new.
    private static let bookmarks = """
        <!DOCTYPE NETSCAPE-Bookmark-file-1>
        <DL><p><DT><A HREF="https://page.example/a" ADD_DATE="1500000000">A</A>
        <DT><A HREF="https://page.example/a#top">A again</A>
        <DT><A HREF="https://fails-once.example/">Fails &lt;b&gt;</A>
        <DT><A HREF="javascript:alert('<b>')">A bookmarklet</A>
        <DT><A HREF="place:sort=8">Recent</A></DL>
        """

    @Test func reportShowsEachNumberWithItsReasons() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let answer = try await send(Self.form(Self.bookmarks, name: "my <b>.html"), to: server)
            #expect(answer.status == 303, "\(answer.text)")
            let path = try #require(answer.location)
            try await BrowserTab.run { tab in
                try await tab.open(server.url(path))
                try await tab.wait(until: "document.querySelectorAll('#failed-heading').length === 1")
                try await tab.wait(until: "document.body.innerText.includes('Finished: 1 page saved')")
                let numbers = try await tab.evaluate(
                    "Array.from(document.querySelectorAll('.numbers dd'), ({ innerText }) => innerText).join(' ')",
                    as: String.self)
                // New, saved, waiting, failed, deleted, already saved, repeated, unusable.
                #expect(numbers == "2 1 0 1 0 0 1 2")
                #expect(try await tab.text("h1") == "my <b>.html")
                let text = try await tab.text("main")
                #expect(text.contains("Fails <b>") && text.contains("The server refused the connection."))
                #expect(text.contains("Entry 4:") && text.contains("javascript:alert('<b>')"))
                #expect(try await tab.evaluate("document.querySelectorAll('main b').length", as: Int.self) == 0)
                #expect(await tab.takeComplaints() == [])
            }
            let oldest = try await server.libraries.use(.local) { $0.library.newest.last }
            #expect(oldest?.requestedAt == Date(timeIntervalSince1970: 1_500_000_000))
        }
    }

    @Test func reportFollowsTheImportWithoutAReload() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            // The first page is never saved.
            let answer = try await send(Self.form("https://slow.example/\nhttps://page.example/\n"), to: server)
            let path = try #require(answer.location)
            try await BrowserTab.run { tab in
                try await tab.open(server.url(path))
                try await tab.wait(until: "document.querySelector('progress').value === 1")
                _ = try await tab.evaluate("window.isSame = true", as: Bool.self)
                let slow = try await server.libraries.use(.local) { open in
                    try #require(open.library.newest.first { $0.state.isFetching }).id
                }
                try await server.libraries.use(.local) { try await $0.library.stop(slow) }
                try await tab.wait(until: "document.body.innerText.includes('You stopped saving this page.')")
                #expect(try await tab.evaluate("window.isSame", as: Bool.self))
                #expect(try await tab.evaluate("document.querySelector('progress') === null", as: Bool.self))
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    @Test func fileThatCannotBeImportedSaysWhy() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            var answer = try await send(Self.form("{\"a\": 1}"), to: server)
            #expect(answer.status == 415 && answer.text.contains("format isn’t known"), "\(answer.text)")
            answer = try await send(Self.form("https://a.example/", formats: []), to: server)
            #expect(answer.status == 422 && answer.text.contains("Choose at least one format"), "\(answer.text)")
            answer = try await send("--x--\r\n", to: server)
            #expect(answer.status == 400 && answer.text.contains("Choose a file"), "\(answer.text)")
            answer = try await send("{}", to: server, type: "application/json")
            #expect(answer.status == 415, "\(answer.text)")
            #expect(try await server.libraries.use(.local) { $0.library.imports.isEmpty })
        }
    }

    /// Chooses a file with an address and many empty lines in the form of the open page, and records what it shows.
    private func choose(fileOfBytes count: Int, in tab: BrowserTab) async throws {
        _ = try await tab.evaluate(
            """
            (() => {
                const form = document.querySelector('#import-file');
                const files = new DataTransfer();
                files.items.add(new File(['https://page.example/' + '\\n'.repeat(\(count))], 'a.txt'));
                form.elements.namedItem('file').files = files.files;
                window.shown = [];
                new MutationObserver(() => {
                    const text = form.querySelector('.sending [role=status]')?.textContent;
                    if (text && text !== window.shown.at(-1)) window.shown.push(text);
                }).observe(form, { childList: true, subtree: true, characterData: true });
                return true;
            })()
            """, as: Bool.self)
    }

    @Test func formShowsHowMuchIsSentAndThatTheServerReads() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        try await LibraryServer.run(capturer: ScriptedCapturer(), reading: WaitingReading(gate: gate)) { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/import"))
                try await choose(fileOfBytes: 100_000, in: tab)
                try await tab.click("#import-file button[type=submit]")
                try await tab.wait(until: "window.shown.at(-1) === 'Sent. The server is reading the file…'")
                #expect(try await tab.evaluate("/^\\d+% sent$/.test(window.shown.at(-2))", as: Bool.self))
                // What is sent can't be taken back.
                #expect(try await tab.evaluate("!document.querySelector('.sending button')", as: Bool.self))
                #expect(try await tab.evaluate("document.querySelector('#import-file button').disabled", as: Bool.self))
                opening.finish()
                try await tab.wait(until: "document.querySelector('#report')")
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    @Test func sendingCanBeStopped() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/import"))
                try await tab.limitSending(toBytesPerSecond: 100_000)
                try await choose(fileOfBytes: 50_000_000, in: tab)
                try await tab.click("#import-file button[type=submit]")
                try await tab.wait(until: "document.querySelector('.sending progress')?.value > 0")
                try await tab.click(".sending button")
                try await tab.wait(until: "!document.querySelector('.sending')")
                try await tab.wait(until: "!document.querySelector('#import-file [type=submit]').disabled")
                #expect(try await tab.evaluate("document.querySelectorAll('[role=alert]').length", as: Int.self) == 0)
                #expect(try await tab.evaluate("document.querySelector('#file').files.length", as: Int.self) == 1)
                #expect(await tab.takeComplaints() == [])
            }
            #expect(try await server.libraries.use(.local) { $0.library.imports.isEmpty })
        }
    }

    @Test func refusedFileIsExplainedInTheForm() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/import"))
                for (bytes, text) in [(10, "Choose at least one format"), (101_000_000, "100 MB")] {
                    try await choose(fileOfBytes: bytes, in: tab)
                    _ = try await tab.evaluate(
                        """
                        document.querySelectorAll('#import-file fieldset input')
                            .forEach((box) => { box.checked = \(bytes > 10); }) ?? true
                        """, as: Bool.self)
                    try await tab.click("#import-file button[type=submit]")
                    try await tab.wait(
                        until: "document.querySelector('#import-file [role=alert]')?.innerText.includes('\(text)')")
                }
            }
        }
    }

    @Test func foldersBecomeTagsIfThatIsChosen() async throws {
        let bookmarks = """
            <!DOCTYPE NETSCAPE-Bookmark-file-1>
            <DL><p><DT><H3>Cooking</H3><DL><p><DT><A HREF="https://page.example/a" TAGS="bread">A</A></DL></DL>
            """
        for (formats, tags) in [(["png"], ["bread"]), (["png", "folders"], ["bread", "Cooking"])] {
            try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
                #expect(try await send(Self.form(bookmarks, formats: formats), to: server).status == 303)
                try await eventually("the page is added") {
                    try await server.libraries.use(.local) { $0.library.newest.first?.marks.tags.map(\.name) == tags }
                }
            }
        }
    }

    @Test func importOfAnotherOwnerIsNotFound() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let file = AddressFile(format: .list, addresses: [])
            let id = try await server.libraries.use("ann") {
                try await $0.library.importAddresses(of: file, name: "a")
            }
            let (_, response) = try await URLSession.shared.data(from: server.url("/library/import/\(id)"))
            #expect((response as? HTTPURLResponse)?.statusCode == 404)
        }
    }
}

/// Reads uploads in the test process once its gate has opened.
private struct WaitingReading: LibraryReading {
    let gate: AsyncStream<Void>

    func read(_ upload: LibraryUpload) async throws(LibraryFileError) -> ReadUpload {
        for await _ in gate {}
        return try await ReadingInProcess().read(upload)
    }
}

/// Returns redirects instead of following them.
private final class NoRedirect: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
