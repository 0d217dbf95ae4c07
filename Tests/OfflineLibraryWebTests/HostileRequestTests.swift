import Capture
import OfflineLibraryModel
import Persistence
import ServedSite
import Testing

@testable import OfflineLibraryWeb

/// Tests every route of the app with hostile values.
@Suite(.timeLimit(.minutes(30))) struct HostileRequestTests {
    @Test func hostileValuesCauseNoServerError() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await server.libraries.use(.local) { open in
                try await open.library.save("https://a.example/", formats: [.png, .pdf, .webArchive, .wacz])
            }
            let second = try await server.libraries.use(.local) { open in
                try await open.library.save("https://a.example/", formats: [.png, .webArchive])
            }
            let page = ["id": "\(id)"]
            let stored = try await server.libraries.use(.local) {
                try await $0.library.importAddresses(of: AddressFile(format: .list, addresses: []), name: "a")
            }
            let (path, api) = ("/library/pages/{id}", "/api/v1/library/pages")
            let failures = try await HostileRequests.failures(
                of: server.site,
                [
                    RouteCase(
                        "GET /library",
                        query: [
                            "after": "\(id)", "order": "title", "url": "https://a.example/",
                            "text": "https://a.example/",
                            "q": "a",
                        ]),
                    RouteCase(
                        "GET /library",
                        query: [
                            "tag": "a", "favourite": "1", "note": "1", "changed": "1", "host": "a.example",
                            "state": "partial", "reading": "started",
                            "since": "2026-01-31", "until": "2026-12-31", "skip": "50",
                        ]),
                    RouteCase("GET /library/events"),
                    RouteCase("GET /library/feed.atom"),
                    RouteCase(
                        "GET /library/export.zip",
                        query: ["q": "a", "page[]": "\(id)", "selected": "1", "tag": "a", "since": "2026-01-31"]),
                    RouteCase("GET /library/open", query: ["url": "https://a.example/"]),
                    RouteCase(
                        "POST /library/pages",
                        fields: [
                            "address": "https://a.example/", "again": "https://a.example/", "png": "on", "pdf": "on",
                            "webarchive": "on", "wacz": "on",
                        ]),
                    RouteCase(
                        "POST /library/pages/several", fields: ["addresses": "https://b.example/", "png": "on"]),
                    RouteCase("POST /library/api/upload"),
                    RouteCase("GET /library/uploads"),
                    RouteCase("POST /library/uploads/token"),
                    RouteCase("POST /library/uploads/withdraw"),
                    RouteCase("GET /library/import"),
                    RouteCase("POST /library/import"),
                    RouteCase("GET /library/import/{import}", ["import": "\(stored)"]),
                    RouteCase("POST /library/import/{import}/remove", ["import": "\(stored)"]),
                    RouteCase("POST /library/settings", fields: ["order": "title"]),
                    RouteCase("POST /library/selection/delete", fields: ["page[]": "\(id)"]),
                    RouteCase("POST /library/selection/restore", fields: ["change": "1.5"]),
                    RouteCase("POST /library/selection/favourite", fields: ["page[]": "\(id)"]),
                    RouteCase("POST /library/selection/ordinary", fields: ["page[]": "\(id)"]),
                    RouteCase("POST /library/selection/read", fields: ["page[]": "\(id)"]),
                    RouteCase("POST /library/selection/unread", fields: ["page[]": "\(id)"]),
                    RouteCase("POST /library/selection/tag", fields: ["page[]": "\(id)", "tags": "a, b"]),
                    RouteCase("POST /library/selection/untag", fields: ["page[]": "\(id)", "tags": "a"]),
                    RouteCase("POST /library/selection/unmark", fields: ["change": "\(id)"]),
                    RouteCase("POST \(path)/favourite", page, fields: ["favourite": "1"]),
                    RouteCase("GET \(path)/marks", page),
                    RouteCase(
                        "POST \(path)/marks", page,
                        fields: [
                            "favourite": "1", "tag[]": "a", "tags": "b, c", "note": "Read this", "back": "/library/",
                        ]),
                    RouteCase("GET \(path)/versions", page),
                    RouteCase("POST \(path)/schedule", page, fields: ["back": "/library/", "interval": "daily"]),
                    RouteCase("GET /library/compare", query: ["old": "\(id)", "new": "\(second)"]),
                    RouteCase("GET \(path)/picture", page),
                    RouteCase("GET \(path)/pdf", page),
                    RouteCase("GET \(path)/archive", page),
                    RouteCase("GET \(path)/reader", page),
                    RouteCase("GET \(path)/article", page),
                    RouteCase(
                        "POST \(path)/position", page,
                        fields: ["view": "reader", "share": "0.5", "paragraph": "7", "time": "1790000000000"]),
                    RouteCase("GET /library/article.css"),
                    RouteCase("GET /library/offline"),
                    RouteCase("GET /library/offline.json"),
                    RouteCase("GET /library/service-worker.js"),
                    RouteCase("GET /library/app.webmanifest"),
                    RouteCase("POST /library/pages/waiting", fields: ["id": "\(id)", "address": "https://c.example/"]),
                    RouteCase("GET \(path)/view", page, query: ["download": "1"]),
                    RouteCase("GET \(path)/thumbnail.png", page, query: ["download": "1"]),
                    RouteCase("GET \(path)/page.png", page, query: ["download": "1"]),
                    RouteCase("GET \(path)/tiles/{tile}", page.merging(["tile": "0"]) { $1 }),
                    RouteCase("GET \(path)/page.pdf", page, query: ["download": "1"]),
                    RouteCase("GET \(path)/page.webarchive", page, query: ["download": "1"]),
                    RouteCase("GET \(path)/page.wacz", page, query: ["download": "1"]),
                    RouteCase(
                        "GET \(api)",
                        query: [
                            "q": "a", "tag": "a", "favourite": "true", "note": "true", "changed": "true",
                            "host": "a.example", "state": "partial", "reading": "started",
                            "since": "2026-01-31T00:00:00Z", "before": "2026-12-31T00:00:00Z", "limit": "1",
                            "cursor": "eyJvZmZzZXQiOjF9",
                        ]),
                    RouteCase("GET \(api)", query: ["deleted": "true", "limit": "1"]),
                    RouteCase("GET /api/v1/library/tags"),
                    RouteCase("POST \(api)", json: #"{"url":§}"#),
                    RouteCase("POST \(api)", json: #"{"url":"https://a.example/","formats":[§],"again":§}"#),
                    RouteCase("GET \(api)/{id}", page),
                    RouteCase("PATCH \(api)/{id}", page, json: #"{"note":§,"tags":[§]}"#),
                    RouteCase("PATCH \(api)/{id}", page, json: #"{"favourite":§}"#),
                    RouteCase("PATCH \(api)/{id}", page, json: #"{"reading":§}"#),
                    RouteCase("GET \(api)/{id}/files/{kind}", page.merging(["kind": "png"]) { $1 }),
                    RouteCase("GET \(api)/{id}/versions", page),
                    RouteCase("GET \(api)/{id}/schedule", page),
                    RouteCase("PUT \(api)/{id}/schedule", page, json: #"{"interval":§}"#),
                    RouteCase("POST \(api)/{id}/retry", page),
                    RouteCase("POST \(api)/{id}/stop", page),
                    RouteCase("GET \(api)/{id}/positions", page),
                    RouteCase(
                        "PUT \(api)/{id}/positions/{view}", page.merging(["view": "reader"]) { $1 },
                        json: #"{"share":§,"paragraph":§}"#),
                    RouteCase(
                        "PUT \(api)/{id}/positions/{view}", page.merging(["view": "reader"]) { $1 },
                        json: #"{"share":1,"changedAt":§}"#),
                    RouteCase("GET \(api)/{id}/comparison", page, query: ["with": "\(second)"]),
                    RouteCase("POST \(api)/several", json: #"{"urls":[§],"formats":["png"]}"#),
                    RouteCase("POST /api/v1/library/selection", json: #"{"change":§,"pages":["\#(id)"]}"#),
                    RouteCase("POST /api/v1/library/selection", json: #"{"change":"tag","tags":[§],"pages":[§]}"#),
                    RouteCase("POST /api/v1/library/selection", json: #"{"change":"tag","tags":[§],"all":true}"#),
                    RouteCase(
                        "POST /api/v1/library/selection",
                        json: #"{"change":"read","search":{"q":§,"tag":§,"host":§}}"#),
                    RouteCase("POST /api/v1/library/selection", json: #"{"change":"read","search":{"since":§}}"#),
                    RouteCase("POST /api/v1/library/selection/undo", json: #"{"undo":§}"#),
                    RouteCase("POST /api/v1/library/selection/delete", json: #"{"pages":[§]}"#),
                    RouteCase("POST /api/v1/library/selection/delete", json: #"{"search":{"q":§}}"#),
                    RouteCase("POST /api/v1/library/selection/restore", json: #"{"undo":§}"#),
                    RouteCase("GET /api/v1/library/imports"),
                    RouteCase("POST /api/v1/library/imports", json: "§"),
                    RouteCase("GET /api/v1/library/imports/{import}", ["import": "\(stored)"]),
                    RouteCase("DELETE /api/v1/library/imports/{import}", ["import": "\(stored)"]),
                    RouteCase(
                        "GET /api/v1/library/export.zip",
                        query: ["q": "a", "tag": "a", "since": "2026-01-31T00:00:00Z", "host": "a.example"]),
                    RouteCase("GET /api/v1/library/export.zip", query: ["pages": "\(id)"]),
                    RouteCase("GET /api/v1/library/settings"),
                    RouteCase("PATCH /api/v1/library/settings", json: #"{"order":§}"#),
                    RouteCase("GET /api/v1/library/events"),
                    RouteCase("DELETE \(api)/{id}", page),
                    RouteCase("POST \(api)/{id}/restore", page),
                    RouteCase("POST \(path)/retry", page),
                    RouteCase("POST \(path)/stop", page),
                    RouteCase("POST \(path)/delete", page),
                    RouteCase("POST \(path)/restore", page),
                ])
            #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
        }
    }
}
