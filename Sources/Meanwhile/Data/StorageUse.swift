import CoffeeTrackerModel
import DurableFiles
import EmojiArtModel
import Foundation
import OfflineLibraryModel
import Persistence
import Site

/// The owner's use of its budget and the use of the disk, for the page “Your data”.
struct StorageUse {
    private static let counted: [(id: String, name: String, item: OwnerBudget.Item)] = [
        ("pages", DataWords.pagesUse, .pages), ("boards", DataWords.boardsUse, .boards),
        ("drinks", DataWords.drinksUse, .drinks),
    ]

    private let amounts: [Int]
    private let bytes: Int64
    private let budget: OwnerBudget
    private let disk: DiskSpace?

    /// - Throws: An error if the database can't be read.
    init(of owner: OwnerID, in storage: Storage) async throws(StoreError) {
        (amounts, bytes) = try await storage.database.usage(of: Self.counted.map(\.item), owner: owner)
        budget = storage.folder.budget
        disk = DiskSpace(at: storage.folder.path)
    }

    /// The template's values for one limit.
    struct Bar {
        let id: String
        let name: String
        let text: String
        let percent: String

        init(_ id: String, _ name: String, _ text: String, _ used: Double, of limit: Double) {
            self.id = id
            self.name = name
            self.text = text
            // A limit of zero counts as used up.
            let percent = limit > 0 ? min(max(used / limit * 100, 0), 100) : 100
            self.percent = String(format: "%.1f", percent)
        }
    }

    /// A bar for each limit.
    var bars: [Bar] {
        var bars = [
            Bar(
                "files", DataWords.filesUse, DataWords.size(bytes, of: budget.bytes), Double(bytes),
                of: Double(budget.bytes))
        ]
        for (counted, amount) in zip(Self.counted, amounts) {
            let limit = budget[counted.item]
            bars.append(
                Bar(
                    counted.id, counted.name, DataWords.amount(amount, of: limit), Double(amount), of: Double(limit)))
        }
        if let disk {
            let floor = budget.freeDisk.bytesToLeave(of: disk)
            bars.append(
                Bar(
                    "disk", DataWords.diskUse, DataWords.freeSize(disk.free, of: disk.total, floor: floor),
                    Double(disk.total - disk.free), of: Double(disk.total - floor)))
        }
        return bars
    }
}
