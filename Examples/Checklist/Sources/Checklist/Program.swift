import Foundation
import Persistence
import ServiceLifecycle
import UnixSignals

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Serves the app until Ctrl-C, with its data in the folder that the argument names.
///
/// With the option `--check`, it serves an empty app, requests its page, prints the title, and ends.
@main
enum Program {
    static func main() async {
        let argument = CommandLine.arguments.dropFirst().first
        do {
            if argument == "--check" {
                try await check()
            } else {
                try await serve(argument ?? "checklist-data")
            }
        } catch {
            print(error)
            exit(EXIT_FAILURE)
        }
    }

    private static func serve(_ path: String) async throws {
        let folder = try DataFolder.open(at: path)
        try await ChecklistServer.run(in: folder, port: 8080, until: [.sigterm, .sigint, .sighup]) { port in
            print("Checklist is at http://127.0.0.1:\(port)/checklist/")
            try? await gracefulShutdown()
        }
    }

    private static func check() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "checklist-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await ChecklistServer.run(in: try DataFolder.open(at: path), port: 0) { port in
            guard let url = URL(string: "http://127.0.0.1:\(port)/checklist/") else { throw URLError(.badURL) }
            let (data, _) = try await URLSession.shared.data(from: url)
            print(String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("<title>") } ?? "")
        }
    }
}
