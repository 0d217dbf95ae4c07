import BrowserDriver
import Foundation
import StoreTesting
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension ServerRuns {
    /// Pages that a browser extension uploads to a running server.
    @Suite struct Uploads {
        /// A page as SingleFile saves it: its pictures are `data:` addresses, and its policy forbids everything else.
        private static let page = """
            <!DOCTYPE html><html lang=en><!--
             Page saved with SingleFile
             url: https://intranet.example/account
             saved date: Fri Nov 27 2026 20:00:00 GMT+0000
            --><head><meta charset=utf-8><title>My account – “signed in”</title>
            <meta http-equiv=content-security-policy content="default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline';">
            <style>h1 { color: rgb(200, 0, 0) }</style></head>
            <body><h1>Balance of zweiundvierzig</h1><script>document.title = 'a script ran'</script>
            <img src="data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=" width=20 height=20>
            </body></html>
            """

        private static func token(of server: RunningServer) async throws -> String {
            let page = try await server.post("/library/uploads/token").text
            let start = try #require(page.range(of: "id=\"new-token\">")).upperBound
            let token = String(page[start...].prefix { $0 != "<" })
            try #require(token.count == 64)
            return token
        }

        private static func upload(_ file: String, with token: String?, to server: RunningServer) async throws
            -> Response
        {
            // As the extension sends it, from an origin of its own.
            try await curl(
                [
                    "\(server.origin)/library/api/upload", "--form", "file=@\(file);type=text/html", "--form",
                    "url=https://intranet.example/account", "--header", "Accept: multipart/form-data", "--header",
                    "Origin: chrome-extension://offeofjbfmiaigdhnoonfjfcggcmaonp", "--header", "Sec-Fetch-Site: none",
                ] + (token.map { ["--header", "Authorization: Bearer \($0)"] } ?? []))
        }

        @Test func pageOfTheExtensionGetsAllItsFilesWithoutANetwork() async throws {
            try await Workspace.with { workspace in
                let file = try workspace.makeFile("page.html", Self.page)
                let outcome = try await workspace.serve { server in
                    let token = try await Self.token(of: server)
                    #expect(try await workspace.sqlite("SELECT hash FROM library_upload_token") != [token])
                    let answer = try await Self.upload(file, with: token, to: server)
                    #expect(answer.status == 201 && answer.type == "application/json", "\(answer.text)")
                    try await server.program.wait(until: "the page is saved") {
                        server.events.contains("page.webarchive?download")
                    }
                    #expect(
                        try await workspace.sqlite("SELECT kind FROM library_file ORDER BY kind")
                            == ["pdf", "png", "text", "thumbnail", "viewer", "webarchive"])
                    #expect(
                        try await workspace.sqlite("SELECT title, address, url, source, is_complete FROM library_page")
                            == [
                                "My account – “signed in”|https://intranet.example/account"
                                    + "|https://intranet.example/account|html|1"
                            ])
                    let found = try await server.get("/library/?q=zweiundvierzig").text
                    #expect(found.contains("1 page found"), "\(found)")
                    let id = try #require(try await workspace.sqlite("SELECT id FROM library_page").first)
                    // The downloaded page is what the extension sent; the displayed one has no scripts.
                    let download = try await server.get("/library/pages/\(id)/view?download=1")
                    #expect(download.body == Data(Self.page.utf8))
                    let shown = try await server.get("/library/pages/\(id)/view").text
                    #expect(shown.contains("zweiundvierzig") && shown.contains("data:image/gif"), "\(shown)")
                    #expect(!shown.contains("a script ran"))
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                try await workspace.expectIntactData()
            }
        }

        @Test func uploadWithoutTheTokenIsRefused() async throws {
            try await Workspace.with { workspace in
                let file = try workspace.makeFile("page.html", Self.page)
                let outcome = try await workspace.serve { server in
                    let token = try await Self.token(of: server)
                    // Without a token, the request is like that of any other site.
                    #expect(try await Self.upload(file, with: nil, to: server).status == 403)
                    let wrong = try await Self.upload(file, with: String(repeating: "0", count: 64), to: server)
                    #expect(wrong.status == 401 && wrong.text.contains("Create a new one"), "\(wrong.text)")
                    // The token opens no other route.
                    let other = try await curl([
                        "\(server.origin)/library/settings", "--data", "order=title", "--header",
                        "Authorization: Bearer \(token)", "--header", "Origin: https://other.example",
                    ])
                    #expect(other.status == 403)
                    // A page of another site may not send a token: its preflight isn't answered.
                    let preflight = try await curl([
                        "\(server.origin)/library/api/upload", "--request", "OPTIONS", "--include", "--header",
                        "Origin: https://other.example", "--header", "Access-Control-Request-Method: POST", "--header",
                        "Access-Control-Request-Headers: authorization",
                    ])
                    #expect(!preflight.text.lowercased().contains("access-control-allow"), "\(preflight.text)")
                    let noAddress = try await curl([
                        "\(server.origin)/library/api/upload", "--form", "file=@\(file)", "--form", "url=javascript:x",
                        "--header", "Authorization: Bearer \(token)",
                    ])
                    #expect(noAddress.status == 400, "\(noAddress.text)")
                    #expect(try await server.post("/library/uploads/withdraw").status == 303)
                    #expect(try await Self.upload(file, with: token, to: server).status == 401)
                    #expect(try await workspace.sqlite("SELECT * FROM library_page").isEmpty)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func acknowledgedUploadSurvivesAKill() async throws {
            try await Workspace.with { workspace in
                let file = try workspace.makeFile("page.html", Self.page)
                let killed = try await workspace.serve { server in
                    let token = try await Self.token(of: server)
                    let answer = try await Self.upload(file, with: token, to: server)
                    #expect(answer.status == 201, "\(answer.text)")
                    try server.program.send(SIGKILL)
                }
                #expect(killed.signal == SIGKILL)
                let next = try await workspace.serve { server in try await server.wait(untilSaved: 1) }
                #expect(next.exitCode == 0, "\(next.errors)")
                try await workspace.expectIntactData()
            }
        }

        @Test func savedFilesBecomePages() async throws {
            try await Workspace.with { workspace in
                let mhtml = """
                    MIME-Version: 1.0
                    Snapshot-Content-Location: https://mhtml.example/
                    Content-Type: multipart/related; boundary="b"

                    --b
                    Content-Type: text/html
                    Content-Transfer-Encoding: quoted-printable

                    <title>MHTML</title><p>siebenundvierzig<link rel=3Dstylesheet href=3D"cid:c@x">
                    <iframe src=3D"cid:f@x"></iframe>
                    --b
                    Content-Type: text/css
                    Content-ID: <c@x>

                    p { color: rgb(1, 2, 3) }
                    --b
                    Content-Type: text/html
                    Content-ID: <f@x>

                    <p>In a frame
                    --b--
                    """
                let files = [
                    try workspace.makeFile("a.mhtml", mhtml),
                    try workspace.makeFile("b.html", "<html><title>HTML</title><p>achtundvierzig"),
                ]
                let outcome = try await workspace.serve { server in
                    for file in files {
                        let answer = try await server.get(
                            "/library/import", "--header", "Origin: \(server.origin)", "--form", "file=@\(file)",
                            "--form", "png=on")
                        #expect(answer.status == 303, "\(answer.text)")
                    }
                    try await server.wait(untilSaved: 2)
                    #expect(
                        try await workspace.sqlite(
                            "SELECT title, url, source, is_complete FROM library_page ORDER BY title")
                            == ["HTML|http://file.invalid/b.html|html|1", "MHTML|https://mhtml.example/|webarchive|1"])
                    let found = try await server.get("/library/?q=siebenundvierzig").text
                    #expect(found.contains("1 page found"), "\(found)")
                    let id = try #require(
                        try await workspace.sqlite("SELECT id FROM library_page WHERE source = 'webarchive'").first)
                    let shown = try await server.get("/library/pages/\(id)/view").text
                    #expect(shown.contains("rgb(1, 2, 3)") && shown.contains("In a frame"), "\(shown)")
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                try await workspace.expectIntactData()
            }
        }

        /// The stored page, too, is retried from its own content.
        @Test func failedUploadIsRetriedFromItsContent() async throws {
            try await Workspace.with { workspace in
                let file = try workspace.makeFile("page.html", Self.page)
                let failed = try await workspace.serve(environment: ["MEANWHILE_JOB_TRAP": "uploaded-page:trap"]) {
                    server in
                    let token = try await Self.token(of: server)
                    let answer = try await Self.upload(file, with: token, to: server)
                    #expect(answer.status == 201, "\(answer.text)")
                    try await eventually("the page has failed") {
                        try await workspace.sqlite("SELECT state FROM library_page") == ["failed"]
                    }
                }
                #expect(failed.exitCode == 0, "\(failed.errors)")
                let next = try await workspace.serve { server in
                    let id = try #require(try await workspace.sqlite("SELECT id FROM library_page").first)
                    #expect(try await server.post("/library/pages/\(id)/retry").status == 303)
                    try await server.wait(untilSaved: 1)
                }
                #expect(next.exitCode == 0, "\(next.errors)")
                try await workspace.expectIntactData()
            }
        }
    }
}
