import Accounts
import BrowserDriver
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Persistence
import Site
import StoreTesting
import Testing

@testable import Meanwhile

/// Every route of the server, requested by a person with the identifiers of another person's data.
@Suite(.serialized, .timeLimit(.minutes(20))) struct OwnerWalkTests {
    /// What Anna's pages contain, and what Bert's requests don't.
    private static let secrets = [
        "Annas-secret-note", "annas-secret-tag", "Annas-secret-board", "Annas-secret-palette", "Annas-secret-drink",
        "annas-secret.example", "/tmp/mw-",
    ]

    /// The routes that Bert may use without an identifier, but that would wait for a worker, or for ever, or end his session.
    private static let skipped: Set<String> = [
        "GET /library/events", "GET /art/events", "GET /coffee/events", "GET /art/palettes/events",
        "GET /sharing/events", "POST /art/import", "POST /sign-out",
    ]

    /// The routes that need no sign-in.
    private static let open: Set<String> = [
        "GET /sign-in", "POST /sign-in", "GET /invitation", "POST /invitation", "GET /healthz", "GET /readyz",
        "GET /favicon.ico",
        "GET /api/openapi.json", "GET /library/article.css",
    ]

    /// A page without the version of its live part, which also changes as time passes.
    private static func withoutVersion(_ page: String) -> String {
        page.replacing(/data-live-version="[^"]*"/, with: "")
    }

    /// Fills all apps with Anna's data.
    private func fill(_ anna: Visitor) async throws {
        for (path, form) in [
            ("/samples", ""),
            ("/library/pages", "address=https://annas-secret.example/&png=on"),
            ("/library/uploads/token", ""),
            ("/art/boards", "name=Annas-secret-board&example=1"),
            ("/art/palettes/Main/new", "name=Annas-secret-palette"),
            ("/art/recents", "emoji=%F0%9F%90%B6"),
            ("/coffee/catalogue", "name=Annas-secret-drink&emoji=%E2%98%95&milligrams=80"),
            ("/coffee/settings", "dailyLimit=321"),
        ] {
            let response = try await anna.send(.post, path, form)
            #expect((200..<400).contains(response.status.code), "\(path): \(response.text)")
        }
    }

    @Test func noRouteShowsOrChangesAnotherPersonsData() async throws {
        try await PeopleServer.test { people, hers, his in
            let workspace = people.workspace
            try await fill(hers)
            let owner = people.anna.owner.rawValue
            func first(_ table: String, _ condition: String = "1") async throws -> String {
                try #require(
                    try await workspace.sqlite(
                        "SELECT id FROM \(table) WHERE owner = '\(owner)' AND \(condition) ORDER BY rowid LIMIT 1"
                    ).first, "\(table)")
            }
            let page = try await first("library_page", "state = 'found'")
            let board = try await first("art_board", "name = 'Annas-secret-board'")
            let drink = try #require(
                try await workspace.sqlite("SELECT id FROM coffee_drink WHERE owner = '\(owner)' LIMIT 1").first)
            let job = try await first("job")
            let session = try #require(
                try await workspace.sqlite("SELECT id FROM account_session WHERE owner = '\(owner)'").first)
            let marks = try await hers.send(
                .post, "/library/pages/\(page)/marks", "note=Annas-secret-note&tags=annas-secret-tag")
            #expect(marks.status == .seeOther)
            // The identifiers lead to Anna's data, so that this test can fail.
            #expect(try await hers.text("/library/pages/\(page)/marks").contains("Annas-secret-note"))
            #expect(try await hers.text("/art/boards/\(board)/state").contains("Annas-secret-board"))
            #expect(try await hers.status(.get, "/coffee/drinks/\(drink)") == 200)
            let views = [
                "/library/offline.json", "/art/boards/\(board)/export.json", "/coffee/drinks.csv",
                "/art/palettes.json",
                "/coffee/catalogue",
            ]
            var before: [String] = []
            for view in views { before.append(try await hers.text(view)) }
            // The apps store the chosen formats, and how far they have read the health store, a moment later.
            try await eventually {
                let settings = try await workspace.sqlite(
                    "SELECT 1 FROM stored_value WHERE owner = '\(owner)' AND key = 'library/settings' LIMIT 1")
                let isSynced = try await workspace.sqlite(
                    "SELECT anchor IS NOT NULL FROM coffee_state WHERE owner = '\(owner)'")
                return settings == ["1"] && isSynced == ["1"]
            }
            let rows = try await Self.rows(of: owner, in: workspace)

            let form =
                "page%5B%5D=\(page)&job=\(job)&session=\(session)&change=1.5&tags=a&order=title&id=\(page)"
                + "&interval=daily&view=reader&share=0.5&time=1790000000000&favourite=1&name=Bert&emoji=%E2%98%95"
            let queries = [
                "after=\(page)&order=title", "old=\(page)&new=\(page)", "page%5B%5D=\(page)&selected=1", "q=secret",
                "q=annas", "tag=a", "since=0&format=json",
            ]
            var failures: [String] = []
            for route in people.server.site.routes where !Self.skipped.contains(route) && !route.contains(" /files/") {
                let parts = route.split(separator: " ").map(String.init)
                let (method, template) = (parts[0] == "GET" ? HTTPRequest.Method.get : .post, parts[1])
                let isOwned = ["/library/pages/{id}", "/art/boards/{id}", "/coffee/drinks/{id}"].contains {
                    template.hasPrefix($0)
                }
                func path(_ values: [String: String]) -> String {
                    values.reduce(into: template) { $0 = $0.replacing("{\($1.key)}", with: $1.value) }
                }
                let others = [
                    "tile": "0", "hash": String(repeating: "a", count: 64), "format": "json", "store": "Main",
                    "palette": "1", "record": "0123456789abcdef", "family": "graphicCircular", "name": "a",
                    "import": UUID().uuidString,
                ]
                let (known, unknown): (String, String)
                if template.hasPrefix("/art") {
                    (known, unknown) = (board, "0" + board.dropFirst())
                } else if template.hasPrefix("/coffee") {
                    (known, unknown) = (drink, UUID().uuidString)
                } else if template.hasPrefix("/library") {
                    (known, unknown) = (page, UUID().uuidString)
                } else {
                    (known, unknown) = ("1", "2")
                }
                let isBatch = template.hasSuffix("/operations")
                let body = isBatch ? #"{"id":"b","name":"n","operations":[]}"# : form
                let type = isBatch ? "application/json" : "application/x-www-form-urlencoded"
                for query in [""] + (method == .get && template.hasPrefix("/coffee") == false ? queries : []) {
                    let suffix = query.isEmpty ? "" : "?\(query)"
                    let found = try await his.send(
                        method, path(others.merging(["id": known]) { $1 }) + suffix, body, type: type)
                    for secret in Self.secrets where found.text.contains(secret) {
                        failures.append("\(route) \(query) shows \(secret)")
                    }
                    guard isOwned else { continue }
                    let missing = try await his.send(
                        method, path(others.merging(["id": unknown]) { $1 }) + suffix, body, type: type)
                    let text = missing.text.replacing(unknown, with: known)
                    if found.status != missing.status || found.text != text {
                        failures.append(
                            "\(route) \(query): \(found.status), and \(missing.status) for no identifier")
                    }
                    // Some forms and queries are refused before the identifier is looked up, and a restored page may be
                    // too late.
                    if ![400, 404, 410].contains(found.status.code) {
                        failures.append("\(route) \(query) responds with \(found.status)")
                    }
                }
            }
            #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
            #expect(try await Self.rows(of: owner, in: workspace) == rows)
            for (view, text) in zip(views, before) {
                #expect(Self.withoutVersion(try await hers.text(view)) == Self.withoutVersion(text), "\(view)")
            }
            #expect(try await hers.status(.get, "/account") == 200)
            for path in ["/data/backups", "/data/jobs/cancel"] {
                _ = try await his.send(.post, path, "job=\(job)")
            }
            #expect(try await workspace.sqlite("SELECT phase FROM job WHERE id = '\(job)'") == ["0"])
            #expect(try await his.status(.post, "/data/backups") == 404)
        }
    }

    @Test func nothingIsShownWithoutASession() async throws {
        try await PeopleServer.test { people, hers, _ in
            try await fill(hers)
            let visitor = Visitor(client: hers.client)
            for route in people.server.site.routes where !Self.open.contains(route) && !route.contains(" /files/") {
                let parts = route.split(separator: " ").map(String.init)
                let path = parts[1].replacing(/\{\w+\}/, with: "1")
                let response = try await visitor.send(parts[0] == "GET" ? .get : .post, path)
                // A path with a link's token needs no session, but a token that exists.
                let expected = parts[1].hasPrefix("/shared/{token}/") ? [404] : [303, 401]
                #expect(expected.contains(response.status.code), "\(route): \(response.status)")
                #expect(!Self.secrets.contains { response.text.contains($0) }, "\(route)")
            }
            for route in Self.open {
                let parts = route.split(separator: " ").map(String.init)
                let response = try await visitor.send(parts[0] == "GET" ? .get : .post, parts[1])
                #expect(!Self.secrets.contains { response.text.contains($0) }, "\(route)")
            }
        }
    }

    @Test func activityOfOnePersonIsNotShownToAnother() async throws {
        try await PeopleServer.test { _, hers, his in
            _ = try await hers.send(.post, "/library/uploads/token")
            _ = try await his.send(.post, "/library/uploads/token")
            #expect(try await hers.text("/activity").components(separatedBy: "Token made").count == 2)
            #expect(try await his.text("/activity?of=all").components(separatedBy: "Token made").count == 2)
        }
    }

    /// Pages use the owner that they were created for, so that they can't use another one.
    @Test func pagesNameNoOwner() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/Apps")
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" && file.path().contains("/Web/") {
            let source = try String(contentsOf: file, encoding: .utf8)
            count += 1
            #expect(source.firstMatch(of: /(\(|: |key: )\.local\b/) == nil, "\(file.lastPathComponent)")
        }
        #expect(count > 50)
    }

    /// All rows of an owner, in all tables with owners.
    static func rows(of owner: String, in workspace: Workspace) async throws -> [String] {
        var rows: [String] = []
        for table in try await ownedTables(in: workspace) {
            rows += try await workspace.sqlite("SELECT '\(table)', * FROM \(table) WHERE owner = '\(owner)'").sorted()
        }
        return rows
    }

    fileprivate static func ownedTables(in workspace: Workspace) async throws -> [String] {
        try await workspace.sqlite(
            """
            SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' AND c.name = 'owner' AND m.name NOT LIKE 'account%' ORDER BY 1
            """)
    }
}

extension Outcome {
    fileprivate var text: String { String(decoding: output, as: UTF8.self) }
}

extension Workspace {
    /// Runs `meanwhile serve` with accounts, in which no tab without a session can follow the events.
    func serveSignedIn(_ arguments: String..., body: (RunningServer) async throws -> Void) async throws {
        let outputFile = "\(root)/output-\(UInt32.random(in: 0...UInt32.max))"
        let outcome = try await run(
            [
                "/bin/sh", "-c", #"output=$1; shift; exec "$@" >"$output""#, "sh", outputFile, Program.path, "serve",
                "--port", "0", "--data", data, "--no-worker",
            ] + arguments
        ) { program in
            let server = RunningServer(
                program: program, workspace: self, port: try await port(of: program, in: outputFile), eventFile: "")
            try await body(server)
            if !program.hasEnded { try program.send(SIGTERM) }
        }
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
    }
}

extension ServerRuns {
    /// People who sign in, with the program.
    @Suite struct People {
        private func user(_ workspace: Workspace, _ arguments: String..., input: String = "") async throws -> Outcome {
            try await workspace.run(
                [Program.path, "user", arguments[0], "--data", workspace.data] + arguments.dropFirst(),
                input: input + "\n")
        }

        @Test func accountsAreManaged() async throws {
            try await Workspace.with { workspace in
                let added = try await user(workspace, "add", "anna", "--password-stdin", input: "correct horse")
                #expect(added.exitCode == 0 && added.text.contains("anna"), "\(added)")
                #expect(
                    try await user(workspace, "add", "Anna", "--password-stdin", input: "correct horse").exitCode == 1)
                #expect(try await user(workspace, "add", "bert", "--password-stdin", input: "short").exitCode == 1)
                #expect(
                    try await user(workspace, "add", "bert", "--password-stdin", input: "correct horse").exitCode == 0)
                let list = try await user(workspace, "list").text
                #expect(list.contains("anna (administrator)") && list.contains("bert, created"))
                let link = try await user(workspace, "invite", "--origin", "https://pages.example.com/").text
                #expect(link.hasPrefix("https://pages.example.com/invitation?token="))
                #expect(
                    try await user(workspace, "password", "bert", "--password-stdin", input: "battery staple").exitCode
                        == 0)
                let kept = try await user(workspace, "remove", "bert", input: "no")
                #expect(kept.exitCode == 1 && kept.errors.contains("remain stored"))
                #expect(try await user(workspace, "remove", "bert", input: "bert").exitCode == 0)
                #expect(try await user(workspace, "remove", "bert", "--force").exitCode == 1)
                #expect(try await !user(workspace, "list").text.contains("bert"))
            }
        }

        @Test func dataOfTheTimeWithoutAccountsIsMoved() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    #expect(try await server.post("/samples").status == 303)
                    #expect(
                        try await server.post("/coffee/catalogue", "name=Mine", "emoji=☕️", "milligrams=80").status
                            == 303)
                    let refused = try await user(workspace, "move", "--to", "anna")
                    #expect(refused.exitCode == 1 && refused.errors.contains("no account named anna"))
                    _ = try await user(workspace, "add", "anna", "--password-stdin", input: "correct horse")
                    let running = try await user(workspace, "move", "--to", "anna")
                    #expect(running.exitCode == 1 && running.errors.contains("Stop it"), "\(running)")
                }
                let tables = try await OwnerWalkTests.ownedTables(in: workspace)
                #expect(tables.count > 5)
                var counts: [String: [String]] = [:]
                for table in tables {
                    counts[table] = try await workspace.sqlite("SELECT count(*) FROM \(table) WHERE owner = 'local'")
                }
                let usage = try await workspace.sqlite("SELECT item, amount FROM owner_usage ORDER BY item")
                let moved = try await user(workspace, "move", "--to", "anna")
                #expect(moved.exitCode == 0 && moved.text.contains("rows were moved"), "\(moved)")
                let owner = try #require(try await workspace.sqlite("SELECT owner FROM account").first)
                for table in tables {
                    #expect(
                        try await workspace.sqlite("SELECT count(*) FROM \(table) WHERE owner = 'local'") == ["0"],
                        "\(table)")
                    #expect(
                        try await workspace.sqlite("SELECT count(*) FROM \(table) WHERE owner = '\(owner)'")
                            == counts[table], "\(table)")
                }
                #expect(try await workspace.sqlite("SELECT item, amount FROM owner_usage ORDER BY item") == usage)
                // Nothing else in the database names the earlier owner.
                let dump = try await workspace.sqlite(".dump")
                #expect(!dump.contains { $0.contains("'local'") })
                let again = try await user(workspace, "move", "--to", "anna")
                #expect(again.exitCode == 1 && again.errors.contains("has data already"), "\(again.errors)")
                let list = try await workspace.run([
                    Program.path, "art", "list", "--data", workspace.data, "--user", "anna",
                ])
                #expect(list.exitCode == 0 && !list.output.isEmpty)
                let unnamed = try await workspace.run([Program.path, "art", "list", "--data", workspace.data])
                #expect(unnamed.exitCode == 1 && unnamed.errors.contains("--user"))
            }
        }

        @Test(arguments: [
            ["--listen", "0.0.0.0"], ["--listen", "192.0.2.1"], ["--origin", "https://pages.example.com"],
        ])
        func reachableServerNeedsAnAccount(options: [String]) async throws {
            try await Workspace.with { workspace in
                let refused = try await workspace.run(
                    [Program.path, "serve", "--port", "0", "--data", workspace.data] + options)
                #expect(refused.exitCode == 1)
                #expect(refused.errors.contains("meanwhile user add NAME"), "\(refused.errors)")
                #expect(refused.errors.contains("--trust-proxy") == (options[0] == "--origin"))
            }
        }

        @Test func personSignsInAtARunningServer() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.serve { server in
                    #expect(try await server.get("/library/").status == 200)
                    _ = try await user(workspace, "add", "anna", "--password-stdin", input: "correct horse")
                    // The server that is running requires the sign-in at once.
                    #expect(try await server.get("/library/", "--header", "Accept: text/html").status == 303)
                    let jar = "\(workspace.root)/cookies"
                    let form = ["--data-urlencode", "name=anna", "--data-urlencode", "password=correct horse"]
                    let own = ["--header", "Origin: \(server.origin)", "--cookie-jar", jar, "--cookie", jar]
                    #expect(try await curl([server.origin + "/sign-in"] + own + form).status == 303)
                    #expect(try await curl([server.origin + "/library/"] + own).status == 200)
                    // A stream ends when another process ends its session.
                    let session = try #require(
                        try String(contentsOfFile: jar, encoding: .utf8).split(separator: "\n")
                            .first { $0.contains("meanwhile-session") }?.split(separator: "\t").last)
                    async let stream: Void = workspace.follow(
                        server.origin + "/library/events", cookie: "meanwhile-session=\(session)",
                        into: "\(workspace.root)/stream")
                    _ = try await user(workspace, "password", "anna", "--password-stdin", input: "battery staple")
                    try await stream
                    #expect(try await curl([server.origin + "/library/", "--cookie", jar]).status == 401)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func commandsRecordWhatTheyDo() async throws {
            try await Workspace.with { workspace in
                _ = try await user(workspace, "add", "anna", "--password-stdin", input: "correct horse")
                _ = try await user(workspace, "invite")
                _ = try await user(workspace, "password", "anna", "--password-stdin", input: "battery staple")
                let all = try await user(workspace, "log")
                #expect(all.lines.count == 3 && all.exitCode == 0, "\(all)")
                #expect(all.lines.last?.contains("server\tAccount added\tanna\tCommand line") == true, "\(all.lines)")
                let hers = try await user(workspace, "log", "anna", "--topic", "sign-ins", "--json")
                #expect(hers.text.contains(#""action":"passwordChanged""#) && hers.text.contains(#""version":1"#))
                #expect(!hers.text.contains("accountAdded") && !all.text.contains("staple"))
                #expect(try await user(workspace, "log", "bert").exitCode == 1)
                #expect(try await user(workspace, "log", "--limit", "0").exitCode == 64)
                #expect(try await user(workspace, "log", "--topic", "all").exitCode == 64)
            }
        }

        @Test(arguments: BrowserTab.Colours.allCases)
        func personSignsInAndOutWithABrowser(colours: BrowserTab.Colours) async throws {
            let axe = try Axe.source()
            try await Workspace.with { workspace in
                _ = try await user(workspace, "add", "anna", "--password-stdin", input: "correct horse")
                let link = try await user(workspace, "invite").text
                try await workspace.serveSignedIn { server in
                    try await BrowserTab.run(colours: colours) { tab in
                        try await tab.open(try server.url("/coffee/history?by=week"))
                        try await tab.wait(until: "location.pathname === '/sign-in'")
                        #expect(try await Axe.violations(axe, in: tab) == [])
                        try await tab.click("#name")
                        try await tab.type("anna")
                        try await tab.click("#password")
                        try await tab.type("wrong")
                        try await tab.click("#sign-in button")
                        try await tab.wait(until: "document.querySelector('#problem') !== null")
                        try await tab.click("#password")
                        try await tab.type("correct horse")
                        try await tab.click("#sign-in button")
                        try await tab.wait(until: "location.href.endsWith('/coffee/history?by=week')")
                        #expect(try await !tab.evaluate("document.cookie.includes('session')", as: Bool.self))
                        try await tab.open(try server.url("/account"))
                        #expect(try await Axe.violations(axe, in: tab) == [])
                        try await tab.open(try server.url("/activity"))
                        #expect(try await tab.text("#entries").contains("A sign-in failed"))
                        #expect(try await Axe.violations(axe, in: tab) == [])
                        try await tab.open(try server.url("/account"))
                        // The apps have stored something, and a change waits.
                        _ = try await tab.evaluate(
                            """
                            caches.open("meanwhile.test").then((cache) => cache.put("/x", new Response("x"))).then(() => {
                                localStorage.setItem("meanwhile.coffee.outbox/1", "{}"); return true; })
                            """, as: Bool.self)
                        try await tab.click("#sign-out button")
                        try await tab.wait(until: "document.querySelector('.alert.bad') !== null")
                        #expect(try await tab.text("#sign-out button") == "Sign out anyway")
                        try await tab.click("#sign-out button")
                        try await tab.wait(until: "location.pathname === '/sign-in'")
                        try await tab.wait(until: "localStorage.length === 0")
                        #expect(
                            try await tab.evaluate("caches.keys().then((names) => names.length)", as: Int.self) == 0)
                        try await tab.open(try server.url("/account"))
                        try await tab.wait(until: "location.pathname === '/sign-in'")
                        let path = link.prefix { !$0.isNewline }.split(separator: "/").last ?? ""
                        try await tab.open(try server.url("/\(path)"))
                        #expect(try await Axe.violations(axe, in: tab) == [])
                        _ = await tab.takeComplaints()
                    }
                }
            }
        }
    }
}
