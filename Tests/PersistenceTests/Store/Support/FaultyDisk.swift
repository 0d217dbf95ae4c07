import DurableFiles
import Foundation
import Futures
import SystemPackage

@testable import Persistence

/// Counts the steps of a disk, and has one of them fail.
final class FaultyDisk: Sendable {
    private struct State {
        var steps: [Disk.Step] = []
        var failing: (number: Int, error: Errno)?
    }

    private let state = Lock(State())

    /// The disk.
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

    /// The steps since the last call; none fails from now on.
    func takeSteps() -> [Disk.Step] {
        state.withLock { state in
            defer { state = State() }
            return state.steps
        }
    }

    /// Has one step fail, counted from now on.
    func fail(step number: Int, with error: Errno) {
        state.withLock { state in
            state.steps = []
            state.failing = (number, error)
        }
    }
}

/// Knows what is left of a folder if the machine loses its power.
///
/// What was not synced is lost: content is empty, and names are those of the last sync of the folder, or all of them, as the
/// file system likes.
final class PowerLoss: Sendable {
    /// What a disk does not do that says it did: to see that a check sees it.
    enum Lie: Sendable {
        case none
        case syncsNoFile
        case syncsNoFolder
    }

    /// What is left of a file.
    struct File: Hashable {
        var content: Data
        var modified: Int64
    }

    private struct State {
        /// What was synced of each file, by its number.
        var contents: [UInt64: File] = [:]
        var names: [String: UInt64] = [:]
        var losses: [[String: File]] = []
    }

    private let folder: String
    private let lie: Lie
    private let state = Lock(State())

    init(folder: String, lie: Lie = .none) {
        self.folder = folder
        self.lie = lie
        state.withLock { state in
            // What is there before is on the disk.
            state.names = Self.names(in: folder)
            for (name, number) in state.names { state.contents[number] = Self.content("\(folder)/\(name)") }
        }
    }

    /// The disk.
    var disk: Disk {
        Disk { (step: Disk.Step) throws(Errno) in
            self.state.withLock { state in
                self.lose(&state)
                self.note(step, &state)
            }
        }
    }

    /// What may be left now.
    func now() -> [[String: File]] {
        state.withLock { state in
            state.losses = []
            lose(&state)
            return state.losses
        }
    }

    /// What may have been left before each step since the last call.
    func takeLosses() -> [[String: File]] {
        state.withLock { state in
            defer { state.losses = [] }
            return state.losses
        }
    }

    private func lose(_ state: inout State) {
        for names in [state.names, Self.names(in: folder)] {
            let left = names.mapValues { state.contents[$0] ?? File(content: Data(), modified: 0) }
            if state.losses.last != left { state.losses.append(left) }
        }
    }

    private func note(_ step: Disk.Step, _ state: inout State) {
        switch step {
        case .write(let path):
            // A new file may have the number of one that is gone.
            if let number = (try? FileStamp(at: path))?.number { state.contents[number] = nil }
        case .sync(let path) where lie != .syncsNoFile:
            if let number = (try? FileStamp(at: path))?.number { state.contents[number] = Self.content(path) }
        case .syncFolder(folder) where lie != .syncsNoFolder:
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
