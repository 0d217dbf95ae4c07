import DurableFiles
import Foundation
import Futures
import SystemPackage

@testable import Persistence

/// Records the steps of a disk, and makes one of them fail.
final class FaultyDisk: Sendable {
    private struct State {
        var steps: [Disk.Step] = []
        var failing: (number: Int, error: Errno)?
    }

    private let state = Lock(State())

    /// A disk whose steps are recorded.
    var disk: Disk {
        Disk { (step: Disk.Step) throws(Errno) in
            let error = self.state.withLock { state -> Errno? in
                state.steps.append(step)
                guard let failing = state.failing, failing.number == state.steps.count else { return nil }
                state.failing = nil
                return failing.error
            }
            if let error { throw error }
        }
    }

    /// Returns the steps since the last call, and clears the failure.
    func takeSteps() -> [Disk.Step] {
        state.withLock { state in
            defer { state = State() }
            return state.steps
        }
    }

    /// Makes one step fail, counted from now on.
    func fail(step number: Int, with error: Errno) {
        state.withLock { state in
            state.steps = []
            state.failing = (number, error)
        }
    }
}

/// Simulates which files of a folder remain after a power failure.
///
/// A file with unsynced data is empty. The names are either those of the folder's last sync or all current ones,
/// because file systems differ.
final class PowerLoss: Sendable {
    /// The kind of sync that the simulated disk doesn't perform, to verify that a test detects the loss.
    enum SkippedSync: Sendable {
        case none
        case file
        case folder
    }

    /// The remaining data of a file.
    struct File: Hashable {
        var content: Data
        var modified: Int64
    }

    private struct State {
        /// The last synced content of each file, by inode number.
        var contents: [UInt64: File] = [:]
        var names: [String: UInt64] = [:]
        var outcomes: [[String: File]] = []
    }

    private let folder: String
    private let skippedSync: SkippedSync
    private let state = Lock(State())

    init(folder: String, skippedSync: SkippedSync = .none) {
        self.folder = folder
        self.skippedSync = skippedSync
        state.withLock { state in
            // Existing files count as synced.
            state.names = Self.names(in: folder)
            for (name, number) in state.names { state.contents[number] = Self.content("\(folder)/\(name)") }
        }
    }

    /// A disk whose steps are observed.
    var disk: Disk {
        Disk { (step: Disk.Step) throws(Errno) in
            self.state.withLock { state in
                self.recordOutcomes(&state)
                self.note(step, &state)
            }
        }
    }

    /// The possible outcomes of a power failure now.
    func outcomesNow() -> [[String: File]] {
        state.withLock { state in
            state.outcomes = []
            recordOutcomes(&state)
            return state.outcomes
        }
    }

    /// The possible outcomes of a power failure before each step since the last call.
    func takeOutcomes() -> [[String: File]] {
        state.withLock { state in
            defer { state.outcomes = [] }
            return state.outcomes
        }
    }

    private func recordOutcomes(_ state: inout State) {
        for names in [state.names, Self.names(in: folder)] {
            let left = names.mapValues { state.contents[$0] ?? File(content: Data(), modified: 0) }
            if state.outcomes.last != left { state.outcomes.append(left) }
        }
    }

    private func note(_ step: Disk.Step, _ state: inout State) {
        switch step {
        case .write(let path):
            // A new file may reuse the inode number of a deleted one.
            if let number = (try? FileStamp(at: path))?.number { state.contents[number] = nil }
        case .sync(let path) where skippedSync != .file:
            if let number = (try? FileStamp(at: path))?.number { state.contents[number] = Self.content(path) }
        case .syncFolder(folder) where skippedSync != .folder:
            state.names = Self.names(in: folder)
        default:
            break
        }
    }

    private static func names(in folder: String) -> [String: UInt64] {
        var names: [String: UInt64] = [:]
        for name in Disk.names(in: folder) { names[name] = (try? FileStamp(at: "\(folder)/\(name)"))?.number }
        return names
    }

    private static func content(_ path: String) -> File? {
        (try? Disk.real.readStampedFile(path)).map { File(content: $0.data, modified: $0.stamp.modified) }
    }
}
