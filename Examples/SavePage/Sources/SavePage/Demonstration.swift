import Capture
import Egress
import Foundation

/// Saves a page that this program serves, then tries a page that the address policy blocks.
@MainActor
enum Demonstration {
    private static let page = """
        <!DOCTYPE html>
        <title>Meanwhile</title>
        <h1>A page worth saving</h1>
        """

    /// - Returns: Whether the first page was saved, and the second wasn't.
    static func run() async -> Bool {
        do {
            return try await PageServer.serving(page) { try await save(from: $0) }
        } catch {
            print(error)
            return false
        }
    }

    private static func save(from server: PageServer) async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("save-page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The address policy allows public addresses, and, by this rule, one port of this machine.
        let saver = PageSaver(allowing: [try AllowRule("127.0.0.1:\(server.port)")])
        let isSaved = await save("http://127.0.0.1:\(server.port)/", to: folder, with: saver)
        let isOtherSaved = await save("http://127.0.0.1/", to: folder, with: saver)
        await saver.close()
        return isSaved && !isOtherSaved
    }

    private static func save(_ address: String, to folder: URL, with saver: PageSaver) async -> Bool {
        do {
            guard let url = URL(string: address) else { throw URLError(.badURL) }
            for (type, target, _) in try await saver.save(url, to: folder.appendingPathComponent("page")) {
                let saved = try Data(contentsOf: target)
                print("\(type.rawValue): \(target.lastPathComponent) begins with “\(beginning(of: saved))”")
            }
            return true
        } catch {
            print(error)
            return false
        }
    }

    /// The first bytes, which identify a file's format.
    private static func beginning(of data: Data) -> String {
        String(decoding: data.prefix(5).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    }
}
