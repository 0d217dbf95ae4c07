import DurableFiles
import Foundation
import Testing

@testable import Persistence

/// The required free disk space.
@Suite struct FreeDiskTests {
    @Test func automaticFloorIsHalfAGibibyteOrTwoPerCentOfASmallDisk() {
        let floor = FreeDiskFloor.automatic
        #expect(floor.bytesToLeave(of: DiskSpace(free: 1, total: 1 << 40)) == 512 << 20)
        #expect(floor.bytesToLeave(of: DiskSpace(free: 1, total: 1_000_000)) == 20_000)
        #expect(FreeDiskFloor.bytes(7).bytesToLeave(of: DiskSpace(free: 1, total: 1 << 40)) == 7)
    }

    @Test(arguments: [(100, true), (99, true), (101, false), (Int.max, false), (0, true)])
    func writeIsRefusedIfItWouldGoBelowTheFloor(bytes: Int, fits: Bool) {
        let space = DiskSpace(free: 150, total: 1_000)
        #expect((FreeDiskFloor.bytes(50).refusal(of: bytes, in: space) == nil) == fits)
    }

    @Test func uploadAndBlobBelowTheFloorAreRefusedAndLeaveNoFile() async throws {
        let path = NSTemporaryDirectory() + "meanwhile-floor-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let incoming = path + "/incoming"
        var folder = try DataFolder.open(at: path)
        do {
            let file = try IncomingFile(in: incoming, leaving: .bytes(.max))
            #expect(throws: StoreError.self) { try file.append(Data([1])) }
            #expect(file.byteCount == 0)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: incoming).isEmpty)
        folder.budget.freeDisk = .bytes(.max)
        let database = try await AppDatabase.open(in: folder, migrations: [])
        let blobs = BlobStore(database: database, undoWindow: .seconds(1))
        let error = await #expect(throws: StoreError.self) { _ = try await blobs.stage(Data([1])) }
        #expect(error?.code == .diskFull && error?.overBudget?.kind == .disk)
        // Nothing was started: even the folder of staged blobs does not exist.
        #expect(!FileManager.default.fileExists(atPath: path + "/blobs/.staged"))
        database.close()
    }
}
