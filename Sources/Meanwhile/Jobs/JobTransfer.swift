import DurableFiles
import Foundation
import Futures
import Logging
import Persistence
import SystemPackage

/// Copies the files of jobs through the store that also has the blobs, so that servers and workers need no common folder.
///
/// A process doesn't copy a file from the store that it finds in its own data folder.
struct JobTransfer: Sendable {
    private let objects: any TemporaryObjects
    private let folder: DataFolder
    private let logger = Logger(label: "meanwhile.jobs")

    /// The age in seconds from which an input is removed; no request waits that long.
    private static let oldestInput: TimeInterval = 86_400
    private static let (inputs, outputs) = ("incoming/", "outputs/")
    /// The pauses while the store can't be used.
    private static let backoff = Backoff(firstPause: .seconds(1), longestPause: .seconds(30))
    /// The largest output of a job that isn't compromised: 20,000 pages of an import, with seven files each.
    private static let (maximumFiles, maximumBytes) = (140_000, 4 << 30)

    /// Creates a transfer.
    ///
    /// - Parameters:
    ///   - objects: The store.
    ///   - folder: The data folder of this process, with the folder of the jobs' outputs.
    init(through objects: any TemporaryObjects, folder: DataFolder) {
        (self.objects, self.folder) = (objects, folder)
    }

    private func path(of input: String) -> String { FilePath(folder.path).appending(input).string }
}

// MARK: - Inputs

extension JobTransfer {
    /// Stores an input for the worker; a blob is there already.
    func send(input: String) async throws(StoreError) {
        guard BlobStore.id(ofPath: input) == nil else { return }
        let path = path(of: input)
        let bytes = try await DiskWork.run { () throws(StoreError) in try Self.size(of: path) }
        try await objects.put(input, file: path, byteCount: bytes)
    }

    /// Copies an input from the store unless it is in the data folder.
    ///
    /// - Returns: The path of the copy, which the caller removes; `nil` if the input is in the data folder.
    func receive(input: String) async throws(StoreError) -> String? {
        let (path, jobs) = (path(of: input), folder.jobs.path)
        if await DiskWork.run({ Disk.exists(path) }) { return nil }
        guard let object = try await objects.list(input).first(where: { $0.name == input }) else {
            throw StoreError(.missing, JobWords.inputNotFound)
        }
        guard (0...Self.maximumBytes).contains(object.byteCount) else {
            throw StoreError(.corrupt, JobWords.inputTooLarge)
        }
        let copy = "\(jobs)/input-\(UUID().uuidString.lowercased())"
        try await DiskWork.run { () throws(StoreError) in
            if let refusal = folder.budget.freeDisk.refusal(at: folder.path, adding: object.byteCount) {
                throw StoreError(refusal)
            }
            try onDisk("could not be created", at: jobs) { () throws(Errno) in _ = try Disk.real.makeFolder(jobs) }
        }
        do throws(StoreError) {
            try await objects.get(input, byteCount: object.byteCount, into: copy)
        } catch {
            await DiskWork.run { _ = try? Disk.real.removeFile(copy) }
            throw error
        }
        return copy
    }

    /// Removes an input from the store; ``sweep(keeping:olderThan:)`` removes it after an error.
    func remove(input: String) async {
        guard BlobStore.id(ofPath: input) == nil else { return }
        try? await objects.delete([input])
    }
}

// MARK: - Outputs

extension JobTransfer {
    /// Stores the files of an output for the server.
    ///
    /// The job's process may be compromised: it may have put links into the folder, or files of any name and size, which
    /// this refuses with the code `corrupt`. The process must have ended.
    func send(output: JobFolder) async throws(StoreError) {
        let files = try await DiskWork.run { () throws(StoreError) in
            let names = try onDisk("could not be read", at: output.path) { () throws(Errno) in
                try Disk.real.list(output.path)
            }
            try Self.check(names)
            return try names.map { name throws(StoreError) in
                do throws(StoreError) {
                    return (name: name, bytes: try Self.size(of: "\(output.path)/\(name)"))
                } catch {
                    throw StoreError(.corrupt, JobWords.disorderlyOutput, cause: error)
                }
            }
        }
        try Self.check(files)
        try await files.concurrentForEach { file throws(StoreError) in
            try await objects.put(
                "\(Self.outputs)\(output.name)/\(file.name)", file: "\(output.path)/\(file.name)",
                byteCount: file.bytes)
        }
    }

    /// Copies an output from the store unless it is in the data folder.
    func receive(output: JobFolder) async throws(StoreError) {
        let path = output.path
        if await DiskWork.run({ Disk.exists(path) }) { return }
        let prefix = "\(Self.outputs)\(output.name)/"
        let files = try await objects.list(prefix).map {
            (name: String($0.name.dropFirst(prefix.count)), bytes: $0.byteCount)
        }
        try Self.check(files)
        let copy = JobFolder(path: "\(path)-\(UUID().uuidString.lowercased())", floor: output.floor)
        do throws(StoreError) {
            try await DiskWork.run { () throws(StoreError) in
                if let refusal = folder.budget.freeDisk.refusal(
                    at: folder.path, adding: files.reduce(0) { $0 + $1.bytes })
                {
                    throw StoreError(refusal)
                }
                try copy.make()
            }
            try await files.concurrentForEach { file throws(StoreError) in
                try await objects.get(prefix + file.name, byteCount: file.bytes, into: "\(copy.path)/\(file.name)")
            }
            try await DiskWork.run { () throws(StoreError) in
                // A process that finds the folder after a crash of the system takes it as complete.
                for file in files {
                    try onDisk("could not be synced", at: copy.path) { () throws(Errno) in
                        try OpenFile("\(copy.path)/\(file.name)", .updating).sync()
                    }
                }
                try copy.syncNames()
                try onDisk("could not be stored", at: path) { () throws(Errno) in
                    try Disk.real.rename(copy.path, to: path)
                    try Disk.real.syncEntry(path)
                }
            }
        } catch {
            copy.remove()
            // Another server in the same folder has copied it in the meantime.
            if await DiskWork.run({ Disk.exists(path) }) { return }
            throw error
        }
    }

    /// Repeats a copy of an output until it succeeds or the task is cancelled, unless the files are lost or damaged.
    ///
    /// The work of a job isn't lost while the store can't be reached or a disk is full.
    ///
    /// - Parameter copy: ``send(output:)`` or ``receive(output:)``.
    /// - Throws: The error of the last attempt.
    func untilDone(_ copy: () async throws(StoreError) -> Void) async throws(StoreError) {
        let stopwatch = Stopwatch(ContinuousClock())
        var failures = 0
        while true {
            do throws(StoreError) {
                return try await copy()
            } catch {
                guard ![.missing, .corrupt, .cancelled].contains(error.code), !Task.isCancelled else { throw error }
                failures += 1
                logger.warning(
                    "The files of a job could not be copied; this is tried again",
                    metadata: ["error": "\(error.message)", "failures": "\(failures)"])
                let pause = Self.backoff.pause(after: failures)
                guard (try? await stopwatch.sleep(until: stopwatch.elapsed + pause)) != nil else { throw error }
            }
        }
    }

    /// Removes the files of an output from the store; ``sweep(keeping:olderThan:)`` removes them after an error.
    func remove(output name: String) async {
        guard let files = try? await objects.list("\(Self.outputs)\(name)/") else { return }
        try? await objects.delete(files.map(\.name))
    }

    /// Checks the names of files that another process has named.
    private static func check(_ names: [String]) throws(StoreError) {
        let isOrderly =
            names.count <= maximumFiles && names.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9-]{1,64}/) != nil }
        guard isOrderly else { throw StoreError(.corrupt, JobWords.disorderlyOutput) }
    }

    /// Checks the names and sizes of files that another process has named.
    private static func check(_ files: [(name: String, bytes: Int)]) throws(StoreError) {
        try check(files.map(\.name))
        // No sum of the sizes overflows.
        guard files.allSatisfy({ (0...maximumBytes).contains($0.bytes) }),
            files.reduce(0, { $0 + $1.bytes }) <= maximumBytes
        else { throw StoreError(.corrupt, JobWords.disorderlyOutput) }
    }

    private static func size(of path: String) throws(StoreError) -> Int {
        try onDisk("could not be read", at: path) { () throws(Errno) in
            try OpenFile(path, .reading, followingLink: false).stamp().bytes
        }
    }
}

// MARK: - Remains

extension JobTransfer {
    /// Removes the files that killed processes have left in the store.
    ///
    /// - Parameters:
    ///   - needed: The names of the outputs that are needed.
    ///   - time: When the outputs were stored that may have been left; inputs are kept for a day.
    func sweep(keeping needed: Set<String>, olderThan time: Date) async {
        guard let all = try? await objects.list("") else { return }
        let old = all.filter { object in
            guard object.name.hasPrefix(Self.outputs) else {
                return object.name.hasPrefix(Self.inputs)
                    && object.modified < time.addingTimeInterval(-Self.oldestInput)
            }
            let name = object.name.dropFirst(Self.outputs.count).prefix { $0 != "/" }
            return object.modified < time && !needed.contains(String(name))
        }
        try? await objects.delete(old.map(\.name))
    }
}
