import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// One test's folders: one for the temporary files of the program's runs, and one for their output.
///
/// The root folder's path is in the environment of every process of these runs.
struct Workspace: Sendable {
    /// The root folder, which contains the others.
    let root: String

    /// The temporary folder of the runs, which all users may use.
    ///
    /// Its path is short, because Chromium creates a socket deep below it, whose path is limited to 107 bytes.
    var temporary: String { root + "/tmp" }
    /// The output folder, which the program creates.
    var output: String { root + "/out" }

    private init() throws {
        // Not in `TMPDIR`, which the user `nobody` may be unable to access.
        root = "/tmp/mw-\(String(UInt32.random(in: 0...UInt32.max), radix: 36))"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        try makeFolder(temporary, mode: 0o1777)
    }

    /// Runs the body in a new workspace, checks that nothing is left behind, and removes the workspace.
    static func with(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (Workspace) async throws -> Void
    ) async throws {
        let workspace = try Workspace()
        defer { try? FileManager.default.removeItem(atPath: workspace.root) }
        try await body(workspace)
        workspace.expectNothingLeft(sourceLocation: sourceLocation)
    }
}

// MARK: - Folders and files

extension Workspace {
    /// Creates a folder.
    func makeFolder(_ path: String, mode: mode_t = 0o755) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // Attributes passed to the call above would be restricted by the umask.
        try #require(chmod(path, mode) == 0)
    }

    /// Writes a file in the workspace.
    ///
    /// - Returns: The path of the file.
    @discardableResult
    func makeFile(_ name: String, _ content: String = "") throws -> String {
        let path = "\(root)/\(name)"
        try Data(content.utf8).write(to: URL(filePath: path))
        return path
    }

    /// Writes a shell script that all users can run.
    ///
    /// - Returns: The path of the script.
    func makeProgram(_ name: String, _ script: String) throws -> String {
        let path = try makeFile(name, "#!/bin/sh\n\(script)\n")
        try #require(chmod(path, 0o755) == 0)
        return path
    }

    /// Returns the sorted names in a folder, including hidden ones; empty if there is no folder.
    func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
    }

    /// The sorted names in the output folder.
    var outputNames: [String] { names(in: output) }

    /// Returns the content of a file in the output folder.
    func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(output)/\(name)"))
    }

    /// Returns whether a path exists.
    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }
}

// MARK: - Processes

extension Workspace {
    /// The running processes of this workspace's runs.
    var processes: [ProcessEntry] {
        ProcessEntry.all.filter { $0.state != "Z" && $0.mentions(root) }
    }

    /// Chromium's first process.
    var chromium: ProcessEntry? {
        processes.first { $0.isLeader && $0.commandLine.contains("--user-data-dir=\(temporary)") }
    }

    /// Chromium's renderer processes.
    var renderers: [ProcessEntry] {
        processes.filter { $0.commandLine.contains("--type=renderer") }
    }

    /// Checks that no process of a run is left, nor a temporary or partial file.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) {
        let processes = processes
        #expect(processes.isEmpty, "Left running: \(processes)", sourceLocation: sourceLocation)
        #expect(names(in: temporary).isEmpty, sourceLocation: sourceLocation)
        #expect(outputNames.allSatisfy { !$0.hasPrefix(".") }, "\(outputNames)", sourceLocation: sourceLocation)
    }
}
