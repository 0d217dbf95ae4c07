import DurableFiles
import Foundation
import Jobs
import Logging
import Persistence
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension DataFolder {
    /// The folder of the jobs' outputs.
    var jobs: JobsFolder { JobsFolder(path: FilePath(path).appending("jobs").string, floor: budget.freeDisk) }

    /// The folder of files that the server receives: uploads, and inputs of jobs.
    var incoming: String { FilePath(path).appending("incoming").string }

    private var portFile: FilePath { FilePath(path).appending("server.port") }

    /// The port on which the folder's server listens or last listened; no job may connect to it.
    var serverPort: Int? {
        guard let text = FileManager.default.contents(atPath: portFile.string), text.count <= 5 else { return nil }
        return Int(String(decoding: text, as: UTF8.self))
    }

    /// Stores the server's port for the workers.
    func write(serverPort: Int) throws(StoreError) {
        unlink(portFile.string)
        try onDisk("could not be written", at: portFile.string) { () throws(Errno) in
            _ = try Disk.real.writeNewFile(portFile.string, Data("\(serverPort)".utf8), isDurable: false)
        }
    }

    /// Returns a file's path relative to this folder, as jobs refer to it, or `nil` if the file isn't in the folder.
    func relative(_ path: String) -> String? {
        var path = FilePath(path)
        guard path.removePrefix(FilePath(self.path)) else { return nil }
        return path.string
    }
}

/// The folder of the jobs' outputs, with a subfolder for each attempt.
struct JobsFolder: Sendable {
    /// The age in seconds from which a folder without a job is removed; until then, its requester may still read it.
    private static let age: TimeInterval = 600
    /// The age in seconds from which the job of a request is removed after its end: a killed server can't do it.
    private static let longestRequest: TimeInterval = 3_600

    let path: String
    /// The disk space that each write must leave free.
    let floor: FreeDiskFloor
    /// Copies outputs between workers and servers; `nil` without a bucket.
    var transfer: JobTransfer?

    /// Returns the output folder of an attempt.
    func output(_ name: String) -> JobFolder {
        JobFolder(path: FilePath(path).appending(name).string, floor: floor, transfer: transfer)
    }

    /// Removes folders that a killed server or worker left behind.
    func sweep(_ queue: some JobQueue, now: Date = Date()) async {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let old = names.filter { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: output(name).path)
            return (attributes?[.modificationDate] as? Date).map { $0 < now - Self.age } ?? false
        }
        try? await queue.removeEndedJobsOfRequests(olderThan: Self.longestRequest)
        guard !old.isEmpty || transfer != nil, let needed = try? await queue.outputs() else { return }
        // A copy that isn't complete yet has a random part after the name.
        for name in old where !needed.contains(where: { name == $0 || name.hasPrefix("\($0)-") }) {
            output(name).remove()
        }
        await transfer?.sweep(keeping: needed, olderThan: now - Self.age)
    }
}
