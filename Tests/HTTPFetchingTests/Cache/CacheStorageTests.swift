import DurableFiles
import Foundation
import HTTPTypes
import StoreTesting
import Testing

@testable import HTTPFetching

/// The storages that there are.
enum StorageKind: String, CaseIterable, Sendable {
    case memory, disk

    func make(_ folder: TemporaryFolder, bound: Int = 1 << 20) -> any HTTPCacheStorage {
        switch self {
        case .memory: MemoryCacheStorage(bound: bound)
        case .disk: DiskCacheStorage(at: folder.path + "/cache", bound: bound)
        }
    }
}

extension HTTPCacheStorage {
    /// Keeps a content under a key, in place of what was there.
    func keep(_ text: String, _ key: String, status: Int = 200) throws(FileError) {
        let data = Data(text.utf8)
        let record = CacheRecord(
            varying: [:], status: status, headers: [.eTag: "\"\(text.prefix(20).count)\""], requested: .distantPast,
            received: .distantPast, body: .init(of: data))
        try change(key, adding: data) { $0 = [record] }
    }

    /// The content under a key.
    func text(_ key: String) throws(FileError) -> String? {
        guard let record = try records(of: key).first else { return nil }
        return try content(of: record, of: key).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// What every storage does.
@Suite(.timeLimit(.minutes(20))) struct CacheStorageTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test(arguments: StorageKind.allCases)
    func nothingIsThereAtFirst(kind: StorageKind) throws {
        let storage = kind.make(folder)
        #expect(try storage.records(of: "a") == [])
        try storage.change("a", adding: nil) { $0.removeAll() }
        try storage.removeAll()
        #expect(try storage.text("a") == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func whatIsKeptIsServed(kind: StorageKind) throws {
        let storage = kind.make(folder)
        for text in ["", "x", String(repeating: "long ", count: 20_000)] {
            try storage.keep(text, "a")
            #expect(try storage.text("a") == text)
        }
        try storage.keep("other", "b")
        #expect(try storage.text("a")?.count == 100_000 && storage.text("b") == "other")
        let record = try #require(try storage.records(of: "a").first)
        #expect(record.status == 200 && record.headers[.eTag] == "\"20\"")
    }

    @Test(arguments: StorageKind.allCases)
    func severalRecordsOfOneAddress(kind: StorageKind) throws {
        let storage = kind.make(folder)
        for number in 0..<5 {
            let data = Data("content \(number)".utf8)
            let record = CacheRecord(
                varying: ["accept": "\(number)"], status: 200, headers: [:], requested: .distantPast,
                received: .distantPast, body: .init(of: data))
            try storage.change("a", adding: data) { $0.append(record) }
        }
        let records = try storage.records(of: "a")
        #expect(records.map { $0.varying["accept"] } == ["0", "1", "2", "3", "4"])
        for (number, record) in records.enumerated() {
            #expect(try storage.content(of: record, of: "a") == Data("content \(number)".utf8))
        }
        try storage.change("a", adding: nil) { $0.remove(at: 2) }
        #expect(try storage.records(of: "a").count == 4)
        #expect(try storage.content(of: records[3], of: "a") == Data("content 3".utf8))
    }

    @Test(arguments: StorageKind.allCases)
    func aRecordChangesWithoutItsContent(kind: StorageKind) throws {
        let storage = kind.make(folder)
        try storage.keep("text", "a")
        try storage.change("a", adding: nil) { $0[0].headers[.age] = "5" }
        #expect(try storage.records(of: "a").first?.headers[.age] == "5")
        #expect(try storage.text("a") == "text")
    }

    @Test(arguments: StorageKind.allCases)
    func theSameContentIsThereOnce(kind: StorageKind) throws {
        let storage = kind.make(folder)
        let text = String(repeating: "x", count: 100_000)
        for key in ["a", "b", "c"] { try storage.keep(text, key) }
        if let memory = storage as? MemoryCacheStorage { #expect(memory.bytes == 100_000) }
        if kind == .disk { #expect(folder.files("/cache/contents").count == 1) }
        try storage.change("a", adding: nil) { $0.removeAll() }
        #expect(try storage.text("b") == text)
        if let memory = storage as? MemoryCacheStorage {
            for key in ["b", "c"] { try storage.change(key, adding: nil) { $0.removeAll() } }
            #expect(memory.bytes == 0)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func everythingIsDropped(kind: StorageKind) throws {
        let storage = kind.make(folder)
        for number in 0..<20 { try storage.keep("text \(number)", "\(number)") }
        try storage.removeAll()
        for number in 0..<20 { #expect(try storage.text("\(number)") == nil) }
        try storage.keep("again", "1")
        #expect(try storage.text("1") == "again")
    }

    @Test(arguments: StorageKind.allCases)
    func thereIsNeverMoreThanTheBound(kind: StorageKind) throws {
        let bound = 100_000
        let storage = kind.make(folder, bound: bound)
        for number in 0..<300 {
            try storage.keep(String(repeating: "\(number) ", count: 1_000), "\(number)")
            if let memory = storage as? MemoryCacheStorage { #expect(memory.bytes <= bound) }
            if number % 20 == 0 { #expect(bytes() <= bound) }
        }
        #expect(bytes() <= bound)
        #expect(try storage.text("299") == String(repeating: "299 ", count: 1_000))
        #expect(try storage.text("0") == nil)
    }

    /// Answers without content, of redirects for example, are bounded too.
    @Test(arguments: StorageKind.allCases)
    func whatHasNoContentCounts(kind: StorageKind) throws {
        let storage = kind.make(folder, bound: 100_000)
        for number in 0..<1_000 { try storage.keep("", "\(number)", status: 301) }
        let kept = try (0..<1_000).count { try !storage.records(of: "\($0)").isEmpty }
        #expect((10..<500).contains(kept), "\(kept)")
        #expect(try !storage.records(of: "999").isEmpty)
    }

    @Test(arguments: StorageKind.allCases)
    func whatIsTooLargeDrivesNothingElseOut(kind: StorageKind) throws {
        let storage = kind.make(folder, bound: 10_000)
        try storage.keep("small", "a")
        try storage.keep(String(repeating: "x", count: 10_001), "b")
        #expect(try storage.text("a") == "small" && storage.text("b") == nil)
    }

    @Test func longHeadersAreNotAllKeptInMemory() throws {
        let storage = DiskCacheStorage(at: folder.path + "/cache", bound: 1 << 30)
        let long = String(repeating: "x", count: 1 << 20)
        for number in 0..<20 {
            let record = CacheRecord(
                varying: [:], status: 200, headers: [.server: long], requested: .distantPast, received: .distantPast,
                body: .init(of: Data()))
            try storage.change("\(number)", adding: Data()) { $0 = [record] }
        }
        #expect(storage.knownBytes > 0 && storage.knownBytes <= DiskCacheStorage.mostKnownBytes)
        for number in 0..<20 { #expect(try storage.records(of: "\(number)").first?.headers[.server] == long) }
        #expect(storage.knownBytes > 0 && storage.knownBytes <= DiskCacheStorage.mostKnownBytes)
    }

    @Test(arguments: StorageKind.allCases)
    func whatIsLargerThanTheBoundIsNotKept(kind: StorageKind) throws {
        let storage = kind.make(folder, bound: 10_000)
        try storage.keep(String(repeating: "x", count: 10_001), "a")
        #expect(try storage.text("a") == nil)
        #expect(bytes() <= 10_000)
        try storage.keep("small", "b")
        #expect(try storage.text("b") == "small")
    }

    @Test(arguments: StorageKind.allCases)
    func manyThreadsAtOnce(kind: StorageKind) throws {
        let storage = kind.make(folder, bound: 200_000)
        DispatchQueue.concurrentPerform(iterations: 400) { number in
            let key = "\(number % 7)"
            do {
                if number % 3 == 0 { try storage.keep("\(key):" + String(repeating: "y", count: number * 20), key) }
                if let text = try storage.text(key) { #expect(text.hasPrefix("\(key):")) }
                if number % 50 == 0 { try storage.change(key, adding: nil) { $0.removeAll() } }
            } catch {
                Issue.record(error)
            }
        }
    }

    private func bytes() -> Int {
        folder.files("/cache").reduce(0) { sum, path in
            sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
        }
    }
}
