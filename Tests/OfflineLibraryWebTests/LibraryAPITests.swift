import Foundation
import OfflineLibraryModel
import Persistence
import ServedSite
import Site
import StoreTesting
import Testing

@testable import OfflineLibraryWeb

/// What scripts can do with several pages, imports, exports, positions and versions.
@Suite(.timeLimit(.minutes(10))) struct LibraryAPITests {
    private func with(_ body: (APIClient, LibraryServer) async throws -> Void) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await body(APIClient(of: server.site, app: "library"), server)
        }
    }

    /// Saves pages, and returns their ids when they are saved.
    private func save(_ urls: [String], _ script: APIClient) async throws -> [String] {
        var ids: [String] = []
        for url in urls {
            let json = #"{"url":"\#(url)","formats":["png","webarchive"],"again":true}"#
            let id = try #require(try await script.send("POST", "pages", json, status: 201).value("id"))
            let isSaved = try await eventually {
                try await script.get("pages/\(id)").value("state") == "saved"
            }
            #expect(isSaved)
            ids.append(id)
        }
        return ids
    }

    private func list(_ ids: [String]) -> String { ids.map { "\"\($0)\"" }.joined(separator: ",") }

    @Test func severalAddressesAreSavedOnce() async throws {
        try await with { script, _ in
            _ = try await save(["https://a.example/"], script)
            let json =
                #"{"urls":["https://a.example/","https://b.example/","https://c.example/","https://b.example/#x"]}"#
            let answer = try await script.send("POST", "pages/several", json)
            #expect(answer.values(of: "url") == ["https://b.example/", "https://c.example/"])
            #expect(answer.value("alreadySaved", as: [String].self) == ["https://a.example/"])
            #expect(answer.value("refused", as: [Any].self)?.isEmpty == true)
            #expect(try await script.get("pages").values(of: "url").count == 3)
            // One wrong address changes nothing.
            let wrong = #"{"urls":["https://d.example/","no address"]}"#
            try await script.send("POST", "pages/several", wrong, status: 422)
            try await script.send("POST", "pages/several", #"{"urls":[]}"#, status: 422)
            #expect(try await script.get("pages").values(of: "url").count == 3)
        }
    }

    @Test func selectionIsMarkedAndUndone() async throws {
        try await with { script, _ in
            let ids = try await save(["https://a.example/", "https://b.example/", "https://c.example/"], script)
            let tagged = try await script.send(
                "POST", "selection", #"{"change":"tag","tags":["Soup"],"pages":[\#(list([ids[0], ids[1]]))]}"#)
            #expect(tagged.value("count", as: Int.self) == 2)
            #expect(Set(try await script.get("pages?tag=soup").values(of: "id")) == [ids[0], ids[1]])
            let starred = try await script.send(
                "POST", "selection", #"{"change":"favourite","search":{"tag":"soup","q":"a.example"}}"#)
            #expect(starred.value("count", as: Int.self) == 1)
            #expect(try await script.get("pages?favourite=true").values(of: "id") == [ids[0]])
            let read = try await script.send("POST", "selection", #"{"change":"read","all":true}"#)
            #expect(read.value("count", as: Int.self) == 3)
            #expect(try await script.get("pages?reading=finished").values(of: "id").count == 3)
            // A change that changes nothing has nothing to undo.
            let again = try await script.send("POST", "selection", #"{"change":"read","all":true}"#)
            #expect(again.value("count", as: Int.self) == 0 && again.value("undo") == nil)
            let undo = try #require(read.value("undo"))
            try await script.send("POST", "selection/undo", #"{"undo":"\#(undo)"}"#, status: 204)
            #expect(try await script.get("pages?reading=finished").values(of: "id").isEmpty)
            try await script.send("POST", "selection/undo", #"{"undo":"\#(undo)"}"#, status: 410)
            try await script.send("POST", "selection", #"{"change":"untag","tags":["soup"],"all":true}"#)
            #expect(try await script.get("tags").values(of: "name").isEmpty)
        }
    }

    @Test func selectionIsDeletedAndRestored() async throws {
        try await with { script, _ in
            let ids = try await save(["https://a.example/", "https://b.example/", "https://c.example/"], script)
            let deleted = try await script.send(
                "POST", "selection/delete", #"{"pages":[\#(list([ids[0], ids[2]]))]}"#)
            #expect(deleted.value("count", as: Int.self) == 2)
            #expect(try await script.get("pages").values(of: "id") == [ids[1]])
            let undo = try #require(deleted.value("undo"))
            for other in ["1e300", "nan", "", "later"] {
                try await script.send("POST", "selection/restore", #"{"undo":"\#(other)"}"#, status: 410)
            }
            try await script.send("POST", "selection/undo", #"{"undo":"\#(undo)"}"#, status: 410)
            try await script.send("POST", "selection/restore", #"{"undo":"\#(undo)"}"#, status: 204)
            #expect(Set(try await script.get("pages").values(of: "id")) == Set(ids))
            let found = try await script.send("POST", "selection/delete", #"{"search":{"host":"b.example"}}"#)
            #expect(found.value("count", as: Int.self) == 1)
            #expect(Set(try await script.get("pages").values(of: "id")) == [ids[0], ids[2]])
        }
    }

    /// A selection that a script may not have meant never becomes one of all pages.
    @Test func unclearSelectionIsRefused() async throws {
        try await with { script, _ in
            _ = try await save(["https://a.example/"], script)
            for json in [
                "{}", #"{"search":{}}"#, #"{"search":{"tags":"a"}}"#, #"{"all":false}"#,
                #"{"all":true,"search":{"q":"a"}}"#, #"{"pages":[]}"#, #"{"pages":["x"]}"#,
                #"{"search":{"favourite":false}}"#, #"{"search":null}"#,
            ] {
                try await script.send("POST", "selection/delete", json, status: 422)
            }
            for json in [#"{"change":"erase","all":true}"#, #"{"change":"tag","all":true}"#, #"{"change":"read"}"#] {
                try await script.send("POST", "selection", json, status: 422)
            }
            let page = try await script.get("pages")
            #expect(page.values(of: "reading") == ["unread"] && page.values(of: "tags", as: [String].self) == [[]])
        }
    }

    /// The list of deleted pages has no filter, and a wrong parameter is never left unread.
    @Test func deletedPagesAreListedWithoutFilter() async throws {
        try await with { script, _ in
            let ids = try await save(["https://a.example/", "https://b.example/"], script)
            try await script.send("DELETE", "pages/\(ids[0])", status: 204)
            #expect(try await script.get("pages?deleted=true").values(of: "id") == [ids[0]])
            #expect(try await script.get("pages?deleted=false&host=b.example").values(of: "id") == [ids[1]])
            for query in [
                "deleted=true&host=a.example", "deleted=true&q=a", "deleted=1.1", "deleted=1.1&state=failed",
            ] {
                let refusal = try await script.get("pages?\(query)", status: 400)
                #expect(refusal.value("field") == "deleted", "\(query)")
            }
        }
    }

    @Test func fileIsImportedAndItsReportRemoved() async throws {
        try await with { script, _ in
            func form(_ content: String, _ name: String) -> String {
                "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n\(content)\r\n"
                    + "--x\r\nContent-Disposition: form-data; name=\"png\"\r\n\r\non\r\n--x--\r\n"
            }
            let type = "multipart/form-data; boundary=x"
            let file = "https://a.example/\nhttps://b.example/\nhttps://a.example/\njavascript:1\n"
            let created = try await script.send("POST", "imports", form(file, "list.txt"), type: type, status: 201)
            let id = try #require(created.value("id"))
            #expect(created.value("name") == "list.txt" && created.value("formats.0") == "png")
            let isFinished = try await eventually {
                try await script.get("imports/\(id)").value("isFinished", as: Bool.self) == true
            }
            #expect(isFinished)
            let report = try await script.get("imports/\(id)")
            #expect(
                report.value("counts.saved", as: Int.self) == 2 && report.value("counts.repeated", as: Int.self) == 1)
            #expect(report.value("unusable.0.address") == "javascript:1")
            #expect(try await script.get("imports").values(of: "id") == [id])
            try await script.send("DELETE", "imports/\(id)", status: 204)
            try await script.send("DELETE", "imports/\(id)", status: 404)
            try await script.get("imports/\(id)", status: 404)
            #expect(try await script.get("pages").values(of: "id").count == 2)
            try await script.send("POST", "imports", form("", "list.txt"), type: type, status: 422)
            try await script.send("POST", "imports", "{}", status: 415)
        }
    }

    @Test func exportHasTheChosenPages() async throws {
        try await with { script, _ in
            let ids = try await save(["https://a.example/", "https://b.example/"], script)
            for (query, hosts) in [
                ("", ["a.example", "b.example"]), ("?pages=\(ids[0])", ["a.example"]),
                ("?host=b.example", ["b.example"]), ("?pages=\(ids[0]),\(ids[1])&host=c", ["a.example", "b.example"]),
            ] {
                let file = try await script.get("export.zip\(query)")
                #expect(file.type == "application/zip" && file.body.starts(with: Data("PK".utf8)))
                // The names of the folders are in the directory at the end, uncompressed.
                for host in ["a.example", "b.example"] {
                    #expect((file.body.range(of: Data(host.utf8)) != nil) == hosts.contains(host), "\(query) \(host)")
                }
            }
            try await script.get("export.zip?pages=x", status: 400)
            try await script.get("export.zip?tags=x", status: 400)
            try await script.get("export.zip?pages=\(ids[0])&favourite=1.1", status: 400)
        }
    }

    @Test func positionIsRecordedUnlessItIsOlder() async throws {
        try await with { script, _ in
            let ids = try await save(["https://a.example/"], script)
            let path = "pages/\(ids[0])/positions"
            #expect(try await script.get(path).values(of: "view").isEmpty)
            let first = try await script.send("PUT", "\(path)/reader", #"{"share":0.5,"paragraph":7}"#)
            #expect(first.value("share", as: Double.self) == 0.5 && first.value("paragraph", as: Int.self) == 7)
            let older = try await script.send(
                "PUT", "\(path)/reader", #"{"share":0.1,"changedAt":"2020-01-01T00:00:00Z"}"#)
            #expect(older.value("share", as: Double.self) == 0.5)
            #expect(try await script.get("pages/\(ids[0])").value("reading") == "started")
            try await script.send("PUT", "\(path)/picture", #"{"share":1}"#)
            #expect(try await script.get(path).values(of: "view") == ["picture", "reader"])
            for wrong in [#"{"share":2}"#, #"{"share":-1}"#, #"{"share":0.5,"paragraph":-1}"#, "{}"] {
                try await script.send("PUT", "\(path)/reader", wrong, status: 422)
            }
            try await script.send("PUT", "\(path)/marked", #"{"share":1}"#, status: 404)
        }
    }

    @Test func versionsAreCompared() async throws {
        try await with { script, _ in
            let address = "https://changes.example/"
            let ids = try await save([address, address], script)
            let path = "pages/\(ids[1])/comparison"
            #expect(try await eventually { try await script.get(path).value("state") == "compared" })
            let found = try await script.get(path)
            #expect(found.value("old") == ids[0] && found.value("new") == ids[1])
            #expect(found.value("words.added", as: Int.self) == 2 && found.value("words.removed", as: Int.self) == 2)
            #expect(found.value("picture.share", as: Double.self) ?? 0 > 0)
            #expect(found.value("text.1.same", as: [String].self)?.count == 9)
            #expect(found.text.contains(#"{"kind":"added","text":"2"}"#))
            // The older version is the old one, whichever is asked for.
            let other = try await script.get("pages/\(ids[0])/comparison?with=\(ids[1])")
            #expect(other.value("old") == ids[0] && other.value("new") == ids[1])
            try await script.get("pages/\(ids[0])/comparison", status: 404)
            try await script.get("\(path)?with=\(ids[1])", status: 404)
            try await script.get("\(path)?with=x", status: 400)
        }
    }

    @Test func orderIsChosen() async throws {
        try await with { script, server in
            let answer = try await script.send("PATCH", "settings", #"{"order":"title"}"#)
            #expect(answer.value("order") == "title")
            #expect(try await server.libraries.use(.local) { $0.library.settings.value.order } == .title)
            try await script.send("PATCH", "settings", #"{"order":"size"}"#, status: 422)
            #expect(try await script.get("settings").value("order") == "title")
        }
    }

    @Test func eachChangeIsAnnounced() async throws {
        try await with { script, server in
            let events = DocumentEvents(of: await server.libraries.documents, key: .local, maker: APIChangeEvents())
            var iterator = events.makeAsyncIterator()
            let changed = APIChangeEvents<OpenLibrary>.event
            #expect(await iterator.next() == changed)
            try await script.send("POST", "pages", #"{"url":"https://a.example/"}"#, status: 201)
            #expect(await iterator.next() == changed)
            try await script.send("HEAD", "events")
        }
    }
}
