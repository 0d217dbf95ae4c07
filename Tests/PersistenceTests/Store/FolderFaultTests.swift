import DurableFiles
import Foundation
import StoreTesting
import SystemPackage
import Testing

@testable import Persistence

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The content of a folder after any step of an operation fails, and after a power failure between any two steps.
@Suite(.timeLimit(.minutes(20))) struct FolderFaultTests {
    /// An operation on a prepared folder.
    enum Operation: String, CaseIterable, CustomTestStringConvertible {
        case first, again, several, removal, recovery, settingAside, restoring, removingSetAside

        var testDescription: String { rawValue }

        func run(_ writer: inout FolderWriter) throws(StoreError) {
            switch self {
            case .first: _ = try writer.commit([StoreWrite("new", .text("2"))])
            case .again: _ = try writer.commit([StoreWrite("a", .text("2"))])
            case .several:
                _ = try writer.commit([
                    StoreWrite("a", .text("2")), StoreWrite("b", .text("2")), StoreWrite("new", .text("2")),
                    StoreWrite("gone", nil),
                ])
            case .removal: _ = try writer.commit([StoreWrite("gone", nil)])
            case .recovery: _ = try writer.read("damaged")
            case .settingAside:
                guard let revision = try writer.read("a")?.revision else { return }
                _ = try writer.setAside("a", revision: revision, reason: "a test")
            case .restoring:
                guard let record = try Self.record(of: writer) else { return }
                _ = try writer.restore(record, expecting: .anything, reason: "replaced")
            case .removingSetAside:
                guard let record = try Self.record(of: writer) else { return }
                _ = try writer.removeSetAside(record)
            }
        }

        /// The record that was set aside before; `nil` after it was restored or removed.
        private static func record(of writer: FolderWriter) throws(StoreError) -> SetAsideRecord? {
            let files = FolderFiles(
                path: writer.files.path, style: writer.files.style, disk: .real, now: writer.files.now)
            return try files.setAsideRecords().first { $0.key == "aside" && $0.reason == "a test" }
        }

        /// The values after the operation.
        var result: [String: String] {
            var values = FolderFaultTests.before
            switch self {
            case .first: values["new"] = "2"
            case .again: values["a"] = "2"
            case .several:
                values = values.merging(["a": "2", "b": "2", "new": "2"]) { $1 }
                values["gone"] = nil
            case .removal: values["gone"] = nil
            case .recovery, .removingSetAside: break
            case .settingAside: values["a"] = "0"
            case .restoring: values["aside"] = "1"
            }
            return values
        }
    }

    /// The values before the operation; that of `damaged` is the previous copy.
    static let before = ["a": "1", "b": "1", "gone": "1", "damaged": "0", "aside": "0"]

    private static func files(_ path: String, _ style: FolderStore.Style, _ disk: Disk = .real) -> FolderFiles {
        FolderFiles(path: path, style: style, disk: disk, now: { Date(timeIntervalSince1970: 1_800_000_000) })
    }

    /// Prepares a folder with two writes of each key; the last one of `damaged` is damaged.
    private static func prepare(_ path: String, _ style: FolderStore.Style) throws {
        try Disk.real.makeFolder(path)
        var writer = FolderWriter(files: files(path, style))
        for text in ["0", "1"] {
            for name in ["a", "b", "gone", "damaged", "aside"] {
                _ = try writer.commit([StoreWrite(StoreKey(name), .text(text))])
            }
        }
        if let revision = try writer.read("aside")?.revision {
            _ = try writer.setAside("aside", revision: revision, reason: "a test")
        }
        try Data("torn".utf8).write(to: URL(filePath: "\(path)/damaged.\(style == .checked ? "kept" : "json")"))
    }

    /// The values that another process reads.
    private static func values(_ path: String, _ style: FolderStore.Style) throws -> [String: String] {
        var writer = FolderWriter(files: files(path, style))
        var values: [String: String] = [:]
        for key in try writer.keys(beginningWith: "") { values[key.name] = try writer.read(key)?.text }
        return values
    }

    /// The texts that are stored as `aside`, or that are set aside under this key.
    private static func textsOfAside(_ path: String, _ style: FolderStore.Style) throws -> Set<String> {
        let files = files(path, style)
        var contents = try files.setAsideRecords().filter { $0.key == "aside" }.compactMap {
            try files.setAsideContent(of: $0)?.content.get()
        }
        var writer = FolderWriter(files: files)
        if let stored = try writer.read("aside")?.content { contents.append(stored) }
        return Set(try contents.map { try JSONDecoder().decode(String.self, from: $0.payload) })
    }

    @Test(arguments: Operation.allCases, [FolderStore.Style.checked, .plainJSON])
    func failedStepIsReportedAndLeavesNoPartialWrite(operation: Operation, style: FolderStore.Style) throws {
        for error in [Errno.noSpace, .ioError, .permissionDenied] {
            var number = 0
            while true {
                number += 1
                let folder = try TemporaryFolder()
                try Self.prepare(folder.path + "/data", style)
                let faulty = FaultyDisk()
                var writer = FolderWriter(files: Self.files(folder.path + "/data", style, faulty.disk))
                faulty.fail(step: number, with: error)
                var failure: StoreError?
                do throws(StoreError) {
                    try operation.run(&writer)
                } catch {
                    failure = error
                }
                let steps = faulty.takeSteps()
                let values = try Self.values(folder.path + "/data", style)
                let context =
                    "\(operation) with \(error) at \(number): \(steps.suffix(2)), \(String(describing: failure))"
                if failure == nil {
                    #expect(values == operation.result, "\(context)")
                } else {
                    let code: StoreError.Code =
                        error == .noSpace ? .diskFull : error == .ioError ? .inputOutput : .notWritable
                    #expect(failure?.code == code, "\(context)")
                    #expect([Self.before, operation.result].contains(values), "\(context)")
                }
                if operation == .restoring {
                    #expect(try Self.textsOfAside(folder.path + "/data", style) == ["0", "1"], "\(context)")
                }
                // The operation succeeds once the disk works again. Setting aside has another result the second time.
                if operation != .settingAside {
                    try operation.run(&writer)
                    #expect(try Self.values(folder.path + "/data", style) == operation.result, "\(context)")
                }
                if steps.count < number { break }
            }
        }
    }

    @Test(arguments: Operation.allCases, [FolderStore.Style.checked, .plainJSON])
    func acknowledgedWritesSurviveAPowerFailure(operation: Operation, style: FolderStore.Style) throws {
        #expect(try Self.losses(during: operation, style) == [])
    }

    @Test(arguments: [PowerLoss.SkippedSync.file, .folder])
    func missingSyncIsDetected(skippedSync: PowerLoss.SkippedSync) throws {
        #expect(try Self.losses(during: .again, .checked, skippedSync) != [])
        #expect(try Self.losses(during: .several, .checked, skippedSync) != [])
    }

    /// The unexpected results of a power failure during or after an operation.
    private static func losses(
        during operation: Operation, _ style: FolderStore.Style, _ skippedSync: PowerLoss.SkippedSync = .none
    ) throws -> [String] {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        try prepare(data, style)
        let power = PowerLoss(folder: data, skippedSync: skippedSync)
        var writer = FolderWriter(files: files(data, style, power.disk))
        try operation.run(&writer)
        let during = power.takeOutcomes()
        let after = power.outcomesNow()
        var wrong: [String] = []
        for (number, left) in (during + after).enumerated() {
            let copy = folder.path + "/left-\(number)"
            try Disk.real.makeFolder(copy)
            for (name, file) in left {
                try Disk.real.writeNewFile("\(copy)/\(name)", file.content)
                let modified = timespec(
                    tv_sec: .init(file.modified / 1_000_000_000), tv_nsec: .init(file.modified % 1_000_000_000))
                #expect(utimensat(AT_FDCWD, "\(copy)/\(name)", [modified, modified], 0) == 0)
            }
            let values = (try? Self.values(copy, style)) ?? [:]
            let allowed = number < during.count ? [before, operation.result] : [operation.result]
            if !allowed.contains(values) { wrong.append("\(number) of \(during.count): \(values)") }
        }
        return wrong
    }

    @Test func theRemovalOfAJournalIsSyncedBeforeItsFilesAreRemoved() throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        let journal = "\(data)/\(FolderNames.journal)"
        try Self.prepare(data, .checked)
        let faulty = FaultyDisk()
        var writer = FolderWriter(files: Self.files(data, .checked, faulty.disk))
        try Operation.several.run(&writer)
        let naming = faulty.takeSteps().firstIndex { step in
            if case .rename(_, to: journal) = step { true } else { false }
        }
        // Make the sync fail that follows the rename of the journal.
        let number = try #require(naming) + 2
        let other = folder.path + "/other"
        try Self.prepare(other, .checked)
        writer = FolderWriter(files: Self.files(other, .checked, faulty.disk))
        faulty.fail(step: number, with: .ioError)
        #expect(throws: StoreError.self) { try Operation.several.run(&writer) }
        let steps = faulty.takeSteps().dropFirst(number - 1)
        #expect(
            Array(steps.prefix(3)) == [
                .syncFolder(other), .remove("\(other)/\(FolderNames.journal)"), .syncFolder(other),
            ])
        #expect(try Self.values(other, .checked) == Self.before)
    }

    @Test(arguments: [FolderStore.Style.checked, .plainJSON])
    func transactionIsFinishedByAStoreOfTheOtherStyle(style: FolderStore.Style) throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        try Self.prepare(data, style)
        // Only the end of a transaction links files, after the journal is written.
        let disk = Disk { (step: Disk.Step) throws(Errno) in
            if case .link = step { throw Errno.ioError }
        }
        var writer = FolderWriter(files: Self.files(data, style, disk))
        try Operation.several.run(&writer)
        #expect(Disk.exists("\(data)/\(FolderNames.journal)"))
        #expect(try Self.values(data, style == .checked ? .plainJSON : .checked) == [:])
        #expect(try Self.values(data, style) == Operation.several.result)
    }

    @Test func writeOfOneKeyTakesSevenSteps() throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        try Self.prepare(data, .checked)
        let faulty = FaultyDisk()
        var writer = FolderWriter(files: Self.files(data, .checked, faulty.disk))
        _ = try writer.commit([StoreWrite("a", .text("2"))])
        _ = faulty.takeSteps()
        _ = try writer.commit([StoreWrite("a", .text("3"))])
        let file = "\(data)/a.kept"
        #expect(
            faulty.takeSteps() == [
                .create(file + ".pending"), .write(file + ".pending"), .sync(file + ".pending"),
                .remove(file + ".previous"), .link(file, to: file + ".previous"),
                .rename(file + ".pending", to: file), .syncFolder(data),
            ])
    }
}
