import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The folders of one test: where its runs of the program have their temporary files, and where they write.
///
/// Its name is in the environment of every process that belongs to these runs.
struct Workspace: Sendable {
    /// Everything else is below.
    let root: String

    /// The temporary folder of the runs, which every user may use.
    ///
    /// Its path is short: Chromium makes a socket far below it, whose path may have 107 bytes.
    var temporary: String { root + "/tmp" }
    /// The output folder; the program makes it.
    var output: String { root + "/out" }

    private init() throws {
        // Not in `TMPDIR`, which need not be open to `nobody`.
        root = "/tmp/mw-\(String(UInt32.random(in: 0...UInt32.max), radix: 36))"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        try makeFolder(temporary, mode: 0o1777)
    }

    /// Runs the body in a workspace of its own, makes sure that nothing is left behind in it, and removes it.
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
    /// Makes a folder.
    func makeFolder(_ path: String, mode: mode_t = 0o755) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // Not the attributes of the call above: those are cut by the mask.
        try #require(chmod(path, mode) == 0)
    }

    /// Writes a file below the workspace.
    ///
    /// - Returns: Its path.
    @discardableResult
    func makeFile(_ name: String, _ content: String = "") throws -> String {
        let path = "\(root)/\(name)"
        try Data(content.utf8).write(to: URL(filePath: path))
        return path
    }

    /// Writes a shell script that can be run by everybody.
    ///
    /// - Returns: Its path.
    func makeProgram(_ name: String, _ script: String) throws -> String {
        let path = try makeFile(name, "#!/bin/sh\n\(script)\n")
        try #require(chmod(path, 0o755) == 0)
        return path
    }

    /// The names in a folder, hidden ones too, in order; none where there is no folder.
    func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
    }

    /// The names in the output folder.
    var outputNames: [String] { names(in: output) }

    /// A file of the output folder.
    func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(output)/\(name)"))
    }

    /// Whether there is something at a path.
    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }
}

// MARK: - Processes

extension Workspace {
    /// The processes that belong to this workspace's runs, without those that have ended.
    var processes: [ProcessEntry] {
        ProcessEntry.all.filter { $0.state != "Z" && $0.mentions(root) }
    }

    /// Chromium's first process.
    var chromium: ProcessEntry? {
        processes.first { $0.isLeader && $0.commandLine.contains("--user-data-dir=\(temporary)") }
    }

    /// What draws the pages.
    var renderers: [ProcessEntry] {
        processes.filter { $0.commandLine.contains("--type=renderer") }
    }

    /// No process of a run is there any more, and no temporary file, and no file that is only half there.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) {
        let processes = processes
        #expect(processes.isEmpty, "Left running: \(processes)", sourceLocation: sourceLocation)
        #expect(names(in: temporary).isEmpty, sourceLocation: sourceLocation)
        #expect(outputNames.allSatisfy { !$0.hasPrefix(".") }, "\(outputNames)", sourceLocation: sourceLocation)
    }
}
