import Foundation

/// Type-checks a few lines against the modules that these tests are built from.
enum Compiler {
    /// What the compiler said.
    struct Verdict {
        let isAccepted: Bool
        let output: String
    }

    struct NotFound: Error, CustomStringConvertible {
        let description: String
    }

    /// Type-checks a file.
    ///
    /// - Parameters:
    ///   - source: What stands in it.
    ///   - options: What else the compiler is told.
    /// - Returns: What it said.
    /// - Throws: What kept it from being asked.
    static func verdict(on source: String, _ options: [String] = []) throws -> Verdict {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("Snippet.swift")
        try Data(source.utf8).write(to: file)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = try ["swiftc", "-typecheck", "-swift-version", "6"] + options + search() + [file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Verdict(isAccepted: process.terminationStatus == 0, output: String(decoding: output, as: UTF8.self))
    }

    /// Where the modules are: beside the tests' own program.
    private static func search() throws -> [String] {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let modules = program.deletingLastPathComponent().appendingPathComponent("Modules")
        guard FileManager.default.fileExists(atPath: modules.appendingPathComponent("Drinks.swiftmodule").path) else {
            throw NotFound(description: "There are no modules in \(modules.path). Run this with `swift test`.")
        }
        return ["-I", modules.path]
    }
}
