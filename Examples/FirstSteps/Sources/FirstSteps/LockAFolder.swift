import DurableFiles
import Foundation
import Persistence

/// A data folder that one process at a time may open.
final class Workspace: Sendable {
    let folder: DataFolder
    private let lock: FileLock

    /// Opens and locks the folder; throws `inUse` if it's already open.
    init(at path: String) throws(StoreError) {
        folder = try DataFolder.open(at: path)
        lock = try folder.lock(for: "editor")
    }

    /// Releases the lock.
    func close() {
        lock.release()
    }
}

/// Why a file of that size shouldn't be written to a folder; `nil` if there is room.
func refusal(of bytes: Int64, in folder: DataFolder, leaving floor: FreeDiskFloor = .automatic) -> String? {
    guard let space = DiskSpace(at: folder.path) else { return nil }
    guard space.free - floor.bytesToLeave(of: space) < bytes else { return nil }
    let free = space.free.formatted(.byteCount(style: .file))
    return "\(folder.path) has only \(free) free. Make room, then try again."
}

func openWorkspaces() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("first-steps-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let first = try Workspace(at: path)
    do {
        let second = try Workspace(at: path)
        second.close()
    } catch {
        print("a second workspace: \(error.code)")
    }
    first.close()
    let third = try Workspace(at: path)
    print("after the first one is closed: open")
    print("room for one byte:", refusal(of: 1, in: third.folder, leaving: .bytes(0)) == nil)
    print("room for 4 exabytes:", refusal(of: 1 << 62, in: third.folder) == nil)
    third.close()
}
