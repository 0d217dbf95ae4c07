import BrowserDriver
import FixtureSite
import Foundation
import Subprocess
import Testing

extension ServerRuns {
    /// Files, forms and pages that attack their parsers: the server rejects each file and form with an error, and
    /// still answers other clients.
    @Suite struct HostileFiles {
        /// The client's report: the statuses of all responses, by the name of the file; 0 if there was no response.
        private typealias Report = [String: [Int]]

        @Test func hostileUploadsAreRefusedWithoutDelayingOtherClients() async throws {
            try await withSite { site, workspace in
                try workspace.makeFile("upload.py", Self.script)
                // On a busy machine, reading one of the files may take longer than a job's usual limit.
                let outcome = try await workspace.serve(environment: ["MEANWHILE_JOB_SECONDS": "600"]) { server in
                    let board = try await server.makeBoard()
                    let before = try await server.responseTimesOfOtherClients()
                    for page in ["/deep-frames", "/frame-loop", "/many", "/spin", "/client-redirect-loop"] {
                        try await server.save(site.address(page))
                    }
                    let end = try NamedPipe(workspace.root + "/end-of-uploads")
                    defer { end.close() }
                    async let uploads = Subprocess.run(
                        .name("sh"),
                        arguments: [
                            "-c", #"exec nice -n 5 python3 "$0" "$@" <"$4""#, "\(workspace.root)/upload.py",
                            "\(server.port)", board,
                            "\(workspace.root)/begun", end.path,
                        ], output: .data(limit: 1_000_000), error: .string(limit: 100_000))
                    do {
                        try await server.program.wait(until: "files have been sent") {
                            workspace.exists("\(workspace.root)/begun")
                        }
                        Attacks.expectShort(try await server.responseTimesOfOtherClients(), before, in: "files")
                    } catch {
                        try? end.write("\n")
                        throw error
                    }
                    try end.write("\n")
                    let result = try await uploads
                    try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
                    let report = try JSONDecoder().decode(Report.self, from: result.standardOutput)
                    #expect(report.count == 17)
                    for (file, statuses) in report {
                        #expect(
                            !statuses.isEmpty && statuses.allSatisfy { (400..<500).contains($0) },
                            "\(file): \(statuses) \(result.standardError)")
                    }
                    #expect(try server.peakMemory() < 500_000_000)
                    // None of the files left anything behind.
                    #expect(try await server.state(of: board).revision == 0)
                    #expect(try await workspace.sqlite("SELECT count(*) FROM art_board") == ["1"])
                    #expect(try await workspace.sqlite("SELECT count(*) FROM art_picture") == ["0"])
                    try await eventually("a hostile page is saved", within: .seconds(300)) {
                        try await !workspace.sqlite("SELECT id FROM library_page WHERE state = 'found'").isEmpty
                    }
                    for id in try await workspace.sqlite("SELECT id FROM library_page WHERE state = 'found'") {
                        let view = try await server.get("/library/pages/\(id)/view")
                        #expect(view.status == 200, "\(view.text)")
                    }
                    for id in try await workspace.sqlite("SELECT id FROM library_page WHERE state = 'fetching'") {
                        _ = try await server.post("/library/pages/\(id)/delete")
                    }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(workspace.names(in: workspace.data + "/incoming").isEmpty)
                try await workspace.expectIntactData()
            }
        }

        /// Arguments: port, board, and the file to create once each file has been sent.
        ///
        /// Four clients send the files repeatedly until standard input has a line. They run at low priority, because
        /// remote clients wouldn't use the server's processor.
        private static let script = """
            import collections, http.client, json, struct, sys, threading, zlib
            port, board, begun = int(sys.argv[1]), sys.argv[2], sys.argv[3]

            def chunk(kind, data):
                return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

            def png(width, height):
                head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
                return b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(1 << 20))) + chunk(b"IEND", b"")

            def svg(text):
                return ('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">' + text).encode()

            laughs = "".join(f'<!ENTITY l{n} "{("&l%d;" % (n - 1)) * 10}">' for n in range(1, 12))
            depth = 2_000_000
            emoji = '{"op":"add","emoji":{"id":"e%d","text":"x","x":%s,"y":0,"size":40,"z":1}}'
            def batch(operations):
                return ('{"id":"b","name":"n","operations":[' + operations + "]}").encode()

            pictures, imports, operations = f"/art/boards/{board}/pictures", "/art/import", f"/art/boards/{board}/operations"
            form = "multipart/form-data; boundary=b"
            files = {
                "PNG of 2^31 by 2^31": (pictures, png(1 << 31, 1 << 31)),
                "PNG of 60000 by 60000": (pictures, png(60000, 60000)),
                "GIF of 65535 by 65535": (pictures, b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0, 0, 0) + b"," * 100),
                "JPEG of segments": (pictures, b"\\xff\\xd8" + b"\\xff\\xe0\\x00\\x02" * 1_000_000),
                "WebP that lies": (pictures, b"RIFF\\xff\\xff\\xff\\xffWEBPVP8X\\xff\\xff\\xff\\xff" + bytes(100)),
                "SVG of entities": (pictures, b"<!DOCTYPE svg [<!ENTITY l0 'ha'>" + laughs.encode() + b"]>" + svg("<text>&l11;</text></svg>")),
                "SVG with a script": (pictures, svg("<script>for(;;);</script></svg>")),
                "SVG of scripts": (pictures, svg("<g>" * 500_000 + "<a onload='x'>" * 200_000)),
                "JSON of brackets": (imports, b"[" * depth),
                "JSON of objects": (imports, b'{"format":"meanwhile.emojiart","version":1,"art":' + b'{"a":' * depth),
                "JSON of numbers": (imports, b'{"format":"meanwhile.emojiart","version":1,"art":{"emojis":[' + b"1e999," * 300_000 + b"1]}}"),
                "half a surrogate": (imports, b'{"format":"meanwhile.emojiart","version":1,"name":"\\\\ud800'),
                "form without an end": (imports, b"--b\\r\\nContent-Disposition: form-data; name=\\"file\\"\\r\\n" + b"X: y\\r\\n" * 200_000, form),
                "form of boundaries": (imports, b"--b\\r\\n" * 500_000, form),
                "operations of brackets": (operations, b"[" * 900_000, "application/json"),
                "operations too far": (operations, batch(",".join(emoji % (n, "1e999") for n in range(2_000))), "application/json"),
                "operations of any name": (operations, batch('{"op":"' + "\\\\u0000" * 50_000 + '"}'), "application/json"),
            }
            answers, lock, is_over = collections.defaultdict(list), threading.Lock(), threading.Event()

            def send(name):
                path, body, *kind = files[name]
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
                connection.request("POST", path, body, {"Origin": f"http://127.0.0.1:{port}", "Accept": "application/json",
                    "Content-Type": kind[0] if kind else "application/octet-stream"})
                status = connection.getresponse().status
                connection.close()
                with lock:
                    answers[name].append(status)

            def client(number):
                names = list(files)
                position = number * len(names) // 4
                while not is_over.is_set():
                    name = names[position % len(names)]
                    try:
                        send(name)
                    except BaseException:
                        with lock:
                            answers[name].append(0)
                        raise
                    position += 1
                    if len(answers) == len(files):
                        open(begun, "w").close()

            clients = [threading.Thread(target=client, args=[number]) for number in range(4)]
            for each in clients: each.start()
            sys.stdin.readline()
            is_over.set()
            for each in clients: each.join()
            print(json.dumps(answers))
            """
    }
}
