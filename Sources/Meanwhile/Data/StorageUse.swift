import CoffeeTrackerModel
import DurableFiles
import EmojiArtModel
import Foundation
import OfflineLibraryModel
import Persistence
import Site

/// The owner's use of its budget and the use of the disk, for the page “Your data”.
struct StorageUse {
    private static let counted: [(name: String, item: OwnerBudget.Item)] = [
        ("Pages", .pages), ("Boards", .boards), ("Drinks", .drinks),
    ]

    private let amounts: [Int]
    private let bytes: Int64
    private let budget: OwnerBudget
    private let disk: DiskSpace?

    /// - Throws: An error if the database can't be read.
    init(of database: AppDatabase) async throws(StoreError) {
        (amounts, bytes) = try await database.usage(of: Self.counted.map(\.item), owner: .local)
        budget = database.folder.budget
        disk = DiskSpace(at: database.folder.path)
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
                "files", "Saved pages and pictures", "\(Shown.size(bytes)) of \(Shown.size(budget.bytes))",
                Double(bytes), of: Double(budget.bytes))
        ]
        for ((name, item), amount) in zip(Self.counted, amounts) {
            let limit = budget[item]
            bars.append(
                Bar(
                    name.lowercased(), name, "\(amount.formatted()) of \(limit.formatted())", Double(amount),
                    of: Double(limit)))
        }
        if let disk {
            let floor = budget.freeDisk.bytesToLeave(of: disk)
            bars.append(
                Bar(
                    "disk", "Disk",
                    "\(Shown.size(disk.free)) of \(Shown.size(disk.total)) free; Meanwhile keeps "
                        + "\(Shown.size(floor)) free", Double(disk.total - disk.free),
                    of: Double(disk.total - floor)))
        }
        return bars
    }
}
