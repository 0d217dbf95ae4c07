import BrowserDriver
import Foundation
import StoreTesting
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A server that other programs reach by HTTPS, itself or through a proxy.
struct SecureServer: Sendable {
    let program: RunningProgram
    let workspace: Workspace
    /// The port of HTTPS: the server's own, or the proxy's.
    var port: Int
    var origin: String { "https://127.0.0.1:\(port)" }

    /// Sends a request by curl, which accepts any certificate, and returns the response with its header.
    func send(_ path: String, _ options: String...) async throws -> String {
        try await text(
            [
                "--insecure", "--silent", "--show-error", "--include", "--max-time", "120", "--cookie-jar", jar,
                "--cookie", jar, "\(origin)\(path)",
            ] + options)
    }

    private var jar: String { "\(workspace.root)/cookies" }

    private func text(_ arguments: [String]) async throws -> String {
        let outcome = try await workspace.run(["/usr/bin/curl"] + arguments)
        return String(decoding: outcome.output, as: UTF8.self) + outcome.errors
    }

    /// Signs Anna in, from an address of this computer.
    func signIn(_ password: String = "correct horse", from address: String = "127.0.0.1") async throws -> String {
        try await send(
            "/sign-in", "--interface", address, "--header", "Origin: \(origin)", "--data-urlencode", "name=anna",
            "--data-urlencode", "password=\(password)", "--header", "X-Forwarded-For: 192.0.2.66",
            "--header", "Forwarded: for=192.0.2.67")
    }
}

extension Workspace {
    /// Makes a certificate for this computer, which is valid for some days, and returns its serial number.
    @discardableResult
    func makeCertificate(_ name: String = "certificate", days: Int = 2) async throws -> String {
        let made = try await run([
            "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "\(days)", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
            "\(root)/\(name).key", "-out", "\(root)/\(name).pem",
        ])
        try #require(made.exitCode == 0, "\(made.errors)")
        let serial = try await run(["/usr/bin/openssl", "x509", "-noout", "-serial", "-in", "\(root)/\(name).pem"])
        return try #require(serial.lines.first)
    }

    /// Runs `meanwhile serve` with an account named Anna.
    func serveSecurely(_ options: [String], _ body: (SecureServer) async throws -> Void) async throws -> Outcome {
        _ = try await run(
            [Program.path, "user", "add", "anna", "--password-stdin", "--data", data], input: "correct horse")
        let output = "\(root)/output-\(UInt32.random(in: 0...UInt32.max))"
        return try await run(
            ["/bin/sh", "-c", #"output=$1; shift; exec "$@" >"$output""#, "sh", output, Program.path, "serve"]
                + ["--data", data] + (options.contains("--workers") ? [] : ["--no-worker"]) + ["--port"] + options
        ) { program in
            var line = ""
            try await program.wait(until: "the server prints its address") {
                line = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
                return line.hasSuffix("\n")
            }
            let port = try #require(line.split(separator: ":").last.flatMap { Int($0.dropLast()) })
            try await body(SecureServer(program: program, workspace: self, port: port))
            if !program.hasEnded { try program.send(SIGTERM) }
        }
    }
}

extension ServerRuns {
    /// HTTPS by the server itself.
    @Suite struct Certificates {
        private func serve(_ workspace: Workspace, _ body: (SecureServer) async throws -> Void) async throws -> Outcome
        {
            try await workspace.serveSecurely(
                [
                    "0", "--certificate", "\(workspace.root)/certificate.pem", "--key",
                    "\(workspace.root)/certificate.key",
                ], body)
        }

        @Test func pagesAreServedByBothVersionsOfHTTP() async throws {
            try await Workspace.with { workspace in
                try await workspace.makeCertificate()
                let outcome = try await serve(workspace) { server in
                    for (option, version) in [("--http1.1", "HTTP/1.1 200"), ("--http2", "HTTP/2 200")] {
                        let page = try await server.send("/sign-in", option)
                        #expect(page.hasPrefix(version), "\(page)")
                        #expect(page.lowercased().contains("strict-transport-security: max-age=31536000"))
                    }
                    let entered = try await server.signIn()
                    #expect(entered.contains(" 303") && entered.contains("__Host-meanwhile-session="), "\(entered)")
                    #expect(entered.contains("Secure") && entered.contains("HttpOnly"))
                    let page = try await server.send("/account", "--http2")
                    #expect(page.hasPrefix("HTTP/2 200") && page.contains("You are signed in as anna"))
                    // The header of the client, which isn't a proxy, isn't believed.
                    let activity = try await server.send("/activity", "--http2")
                    #expect(activity.contains("127.0.0.1") && !activity.contains("192.0.2.6"))
                    // A form of another site, and of this one without encryption.
                    for other in ["https://example.com", "http://127.0.0.1:\(server.port)"] {
                        let refused = try await server.send(
                            "/sign-out", "--http2", "--request", "POST", "--header", "Origin: \(other)")
                        #expect(refused.hasPrefix("HTTP/2 403"), "\(refused)")
                    }
                    #expect(
                        try await server.send("/", "--http2", "--header", "Host: example.com").hasPrefix("HTTP/2 421"))
                    #expect(try await server.send("/", "--tls-max", "1.1").contains("curl:"))
                    // Twenty streams on one connection.
                    let many = (0..<20).flatMap {
                        ["--next", "--insecure", "--silent", "\(server.origin)/healthz?\($0)"]
                    }
                    let outcome = try await workspace.run(
                        [
                            "/usr/bin/curl", "--parallel", "--http2", "--insecure", "--silent",
                            "\(server.origin)/healthz",
                        ]
                            + many)
                    #expect(outcome.lines.count { $0 == "ok" } == 21, "\(outcome)")
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func clientWithoutEncryptionIsToldSo() async throws {
            try await Workspace.with { workspace in
                try await workspace.makeCertificate()
                let outcome = try await serve(workspace) { server in
                    let response = try await workspace.run([
                        "/usr/bin/curl", "--silent", "--include", "http://127.0.0.1:\(server.port)/library/",
                    ])
                    let text = String(decoding: response.output, as: UTF8.self)
                    #expect(text.hasPrefix("HTTP/1.1 400") && text.contains("https://"), "\(text)")
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func certificateIsReplacedWithoutEndingConnections() async throws {
            try await Workspace.with { workspace in
                let first = try await workspace.makeCertificate()
                let second = try await workspace.makeCertificate("second")
                func serial(_ server: SecureServer) async throws -> String {
                    let shown = try await workspace.run([
                        "/bin/sh", "-c",
                        "openssl s_client -connect 127.0.0.1:\(server.port) </dev/null 2>/dev/null"
                            + " | openssl x509 -noout -serial",
                    ])
                    return shown.lines.first ?? ""
                }
                let outcome = try await serve(workspace) { server in
                    _ = try await server.signIn()
                    #expect(try await serial(server) == first)
                    let events = "\(workspace.root)/events"
                    async let stream = server.send(
                        "/library/events", "--http2", "--no-buffer", "--output", events, "--max-time", "600")
                    func received() -> String { (try? String(contentsOfFile: events, encoding: .utf8)) ?? "" }
                    try await server.program.wait(until: "the stream has begun") { received().contains("retry:") }
                    // Files that can't be used change nothing.
                    try Data("nothing".utf8).write(to: URL(filePath: "\(workspace.root)/certificate.pem"))
                    try server.program.send(SIGHUP)
                    let hangUp = ContinuousClock.now
                    #expect(try await serial(server) == first)
                    for ending in ["pem", "key"] {
                        let data = try Data(contentsOf: URL(filePath: "\(workspace.root)/second.\(ending)"))
                        try data.write(to: URL(filePath: "\(workspace.root)/certificate.\(ending)"))
                    }
                    try server.program.send(SIGHUP)
                    try await eventually("the new certificate is used") { try await serial(server) == second }
                    // The stream continues, and shows a change.
                    let saved = try await server.send(
                        "/library/pages", "--header", "Origin: \(server.origin)", "--data-urlencode",
                        "address=https://changed.example/", "--data-urlencode", "png=on")
                    #expect(saved.contains(" 303"), "\(saved)")
                    try await server.program.wait(until: "the change arrives") {
                        received().contains("changed.example")
                    }
                    // A server that is to end has ten seconds; this one isn't.
                    try await server.program.wait(until: "more time has passed than a server has to end") {
                        hangUp.duration(to: .now) > .seconds(12)
                    }
                    #expect(try await serial(server) == second)
                    try server.program.send(SIGTERM)
                    _ = try await stream
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func unusableFilesAreRefused() async throws {
            try await Workspace.with { workspace in
                try await workspace.makeCertificate()
                try await workspace.makeCertificate("other")
                let root = workspace.root
                let cases = [
                    (["--certificate", "\(root)/certificate.pem"], "Give both", 64),
                    (["--certificate", "\(root)/none.pem", "--key", "\(root)/certificate.key"], "can't be read", 1),
                    (["--certificate", "\(root)/certificate.pem", "--key", "\(root)/other.key"], "together", 1),
                    (
                        ["--certificate", "\(root)/certificate.key", "--key", "\(root)/certificate.key"], "certificate",
                        1
                    ),
                    (["--proxy", "10.0.0.0/33"], "isn't an address of a proxy", 64),
                ]
                for (options, message, code) in cases {
                    let refused = try await workspace.run(
                        [Program.path, "serve", "--port", "0", "--data", workspace.data] + options)
                    #expect(refused.exitCode == CInt(code) && refused.errors.contains(message), "\(options) \(refused)")
                }
            }
        }
    }

    /// The configurations of proxies in `Packaging`.
    @Suite struct Proxies {
        enum Proxy: String, CaseIterable, Sendable {
            case nginx, haproxy
        }

        /// The folder of the proxies' packages, which `script/bootstrap` unpacks.
        private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../")
            .standardizedFileURL.path()

        /// Writes the configuration of a proxy with other ports and files, and returns its command line.
        private func commandLine(
            _ proxy: Proxy, _ workspace: Workspace, port: Int, plainPort: Int, server: Int
        ) throws -> [String] {
            let folder = workspace.root
            let name = proxy == .nginx ? "nginx.conf" : "haproxy.cfg"
            var text = try String(contentsOfFile: "\(Self.root)/Packaging/\(name)", encoding: .utf8)
            for (given, wanted) in [
                ("listen 443", "listen 127.0.0.1:\(port)"), ("listen 80", "listen 127.0.0.1:\(plainPort)"),
                ("bind :443", "bind 127.0.0.1:\(port)"), ("bind :80", "bind 127.0.0.1:\(plainPort)"),
                ("127.0.0.1:8080", "127.0.0.1:\(server)"), ("pages.example.com", "127.0.0.1"),
                ("/etc/meanwhile/certificate.pem", "\(folder)/certificate.pem"),
                ("/etc/meanwhile/key.pem", "\(folder)/certificate.key"),
                ("/etc/meanwhile/haproxy.pem", "\(folder)/haproxy.pem"),
            ] { text = text.replacing(given, with: wanted) }
            let programs = "\(Self.root)/.build/proxies/usr"
            switch proxy {
            case .nginx:
                text = """
                    daemon off;
                    pid \(folder)/nginx.pid;
                    error_log stderr;
                    events {}
                    http {
                    access_log off;
                    client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxied;
                    fastcgi_temp_path \(folder)/f; uwsgi_temp_path \(folder)/u; scgi_temp_path \(folder)/s;
                    \(text)
                    }
                    """
                let file = try workspace.makeFile("nginx.conf", "user root;\n" + text)
                return ["\(programs)/sbin/nginx", "-p", folder, "-e", "stderr", "-c", file]
            case .haproxy:
                let file = try workspace.makeFile("haproxy.cfg", text)
                return [
                    "/usr/bin/env", "LD_LIBRARY_PATH=\(programs)/lib/x86_64-linux-gnu", "\(programs)/sbin/haproxy",
                    "-db",
                    "-f", file,
                ]
            }
        }

        @Test(arguments: Proxy.allCases)
        func everythingPassesThrough(proxy: Proxy) async throws {
            try await Workspace.with { workspace in
                try await workspace.makeCertificate()
                let parts = try ["pem", "key"].map {
                    try String(contentsOfFile: "\(workspace.root)/certificate.\($0)", encoding: .utf8)
                }
                try workspace.makeFile("haproxy.pem", parts.joined())
                let (port, plainPort) = (try freePort(), try freePort())
                let outcome = try await workspace.serveSecurely([
                    "0", "--workers", "1", "--origin", "https://127.0.0.1:\(port)", "--proxy", "127.0.0.1",
                ]) { direct in
                    let command = try commandLine(
                        proxy, workspace, port: port, plainPort: plainPort, server: direct.port)
                    let ended = try await workspace.run(command) { running in
                        var server = direct
                        server.port = port
                        try await eventually("the proxy listens") {
                            try await server.send("/healthz", "--http2").hasPrefix("HTTP/2 200")
                        }
                        try await check(server, workspace, plainPort: plainPort)
                        try running.send(proxy == .nginx ? SIGQUIT : SIGINT)
                    }
                    #expect(ended.exitCode == 0 || ended.signal == SIGINT, "\(ended)")
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        private func check(_ server: SecureServer, _ workspace: Workspace, plainPort: Int) async throws {
            #expect(try await server.send("/sign-in", "--http2").hasPrefix("HTTP/2 200"))
            #expect(try await server.send("/sign-in", "--http1.1").hasPrefix("HTTP/1.1 200"))
            _ = try await server.signIn("a wrong one", from: "127.0.0.3")
            let entered = try await server.signIn(from: "127.0.0.2")
            #expect(entered.contains(" 303") && entered.contains("Secure"), "\(entered)")
            // Only the address that has connected to the proxy is believed.
            let activity = try await server.send("/activity")
            #expect(activity.contains("127.0.0.2") && activity.contains("127.0.0.3"), "\(activity)")
            #expect(!activity.contains("192.0.2.6"))
            // A form of this site, and one of another.
            let refused = try await server.send("/sign-out", "--data", "a=b", "--header", "Origin: https://example.com")
            #expect(refused.contains(" 403"))
            // An upload of 30 MB reaches the server, which refuses it for its content, not for its size.
            let file = try workspace.makeFile(
                "upload", String(repeating: "no address, and too long a line\n", count: 1_000_000))
            let upload = try await server.send(
                "/library/import", "--http2", "--header", "Origin: \(server.origin)", "--form", "file=@\(file)",
                "--max-time", "600")
            #expect(upload.contains(" 422"), "\(upload.prefix(2_000))")
            // An event stream shows a change at once.
            let events = "\(workspace.root)/events"
            async let stream = server.send(
                "/library/events", "--http2", "--no-buffer", "--output", events, "--max-time", "600")
            func received() -> String { (try? String(contentsOfFile: events, encoding: .utf8)) ?? "" }
            try await server.program.wait(until: "the stream has begun") { received().contains("retry:") }
            let saved = try await server.send(
                "/library/pages", "--header", "Origin: \(server.origin)", "--data-urlencode",
                "address=https://changed.example/", "--data-urlencode", "png=on")
            #expect(saved.contains(" 303"), "\(saved)")
            try await server.program.wait(until: "the change arrives") { received().contains("changed.example") }
            // Ends the session, and so the stream.
            #expect(
                try await server.send("/sign-out", "--request", "POST", "--header", "Origin: \(server.origin)")
                    .contains(" 303"))
            _ = try await stream
            let plain = try await workspace.run([
                "/usr/bin/curl", "--silent", "--include", "http://127.0.0.1:\(plainPort)/library/",
            ])
            let text = String(decoding: plain.output, as: UTF8.self)
            #expect(text.contains(" 308") && text.lowercased().contains("location: https://"), "\(text)")
        }
    }
}
