import Foundation

/// Compiles snippets against the modules that these tests were built from.
enum Compiler {
    /// The compiler's result.
    struct Verdict {
        let isAccepted: Bool
        let output: String
    }

    struct NotFound: Error, CustomStringConvertible {
        let description: String
    }

    /// Compiles a snippet as far as SIL, where the compiler reports its last errors.
    ///
    /// - Parameters:
    ///   - source: The content of the file.
    ///   - options: Additional compiler options.
    /// - Returns: Whether the compiler accepted it, and its output.
    /// - Throws: An error if the compiler can't be run.
    static func verdict(on source: String, _ options: [String] = []) throws -> Verdict {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("Snippet.swift")
        try Data(source.utf8).write(to: file)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // `-typecheck` isn't enough: the compiler checks values that are sent between isolation domains in SIL.
        process.arguments =
            try ["swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6"] + options + searchOptions()
            + [file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Verdict(isAccepted: process.terminationStatus == 0, output: String(decoding: output, as: UTF8.self))
    }

    /// The options with the search paths of the modules beside the test executable, and of the C modules that they
    /// depend on.
    private static func searchOptions() throws -> [String] {
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
