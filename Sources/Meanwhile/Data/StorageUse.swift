import CoffeeTrackerModel
import DurableFiles
import EmojiArtModel
import Formats
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
                "files", "Saved pages and pictures",
                "\(ReaderFormats.current.size(bytes)) of \(ReaderFormats.current.size(budget.bytes))",
                Double(bytes), of: Double(budget.bytes))
        ]
        for ((name, item), amount) in zip(Self.counted, amounts) {
            let limit = budget[item]
            let formats = ReaderFormats.current
            bars.append(
                Bar(
                    name.lowercased(), name, "\(formats.number(amount)) of \(formats.number(limit))", Double(amount),
                    of: Double(limit)))
        }
        if let disk {
            let floor = budget.freeDisk.bytesToLeave(of: disk)
            bars.append(
                Bar(
                    "disk", "Disk",
                    "\(ReaderFormats.current.size(disk.free)) of \(ReaderFormats.current.size(disk.total)) free; Meanwhile keeps "
                        + "\(ReaderFormats.current.size(floor)) free", Double(disk.total - disk.free),
                    of: Double(disk.total - floor)))
        }
        return bars
    }
}
