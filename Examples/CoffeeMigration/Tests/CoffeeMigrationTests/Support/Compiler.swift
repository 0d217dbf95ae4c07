import Foundation

/// Compiles a few lines against the modules that these tests are built from.
enum Compiler {
    /// What the compiler said.
    struct Verdict {
        let isAccepted: Bool
        let output: String
    }

    struct NotFound: Error, CustomStringConvertible {
        let description: String
    }

    /// Compiles a file, up to the point where nothing is refused any more.
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
        // Not `-typecheck` alone: what is sent to where is looked at after that.
        process.arguments =
            try ["swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6"] + options + search() + [file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Verdict(isAccepted: process.terminationStatus == 0, output: String(decoding: output, as: UTF8.self))
    }

    /// Where the modules are: beside the tests' own program; and those of C that they stand on.
    private static func search() throws -> [String] {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let build = program.deletingLastPathComponent()
        let modules = build.appendingPathComponent("Modules")
        guard FileManager.default.fileExists(atPath: modules.path) else {
            throw NotFound(description: "There are no modules in \(modules.path). Run this with `swift test`.")
        }
        let checkouts = build.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("checkouts")
        let folders =
            [modules]
            + contents(of: checkouts).flatMap { package in
                contents(of: package.appendingPathComponent("Sources"))
                    .flatMap { [$0, $0.appendingPathComponent("include")] }
                    .filter {
                        FileManager.default.fileExists(atPath: $0.appendingPathComponent("module.modulemap").path)
                    }
            }
        return folders.flatMap { ["-I", $0.path] }
    }

    private static func contents(of folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appendingPathComponent($0) }
    }
}
