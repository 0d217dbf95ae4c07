import Foundation
import Testing

@testable import Persistence

/// Two owners whose values have the same keys, in every kind of store that has owners.
@Suite(.timeLimit(.minutes(20))) struct StoreOwnerTests {
    /// Opens the stores of two owners, each as in a process of its own.
    private func open(_ kind: StoreKind) async throws -> (sam: any Store, kim: any Store) {
        let fixture = try StoreFixture(kind)
        return (try await fixture.open(), try await fixture.open(owner: "kim"))
    }

    @Test(arguments: StoreKind.withOwners)
    func equalKeysAreSeparateValues(kind: StoreKind) async throws {
        let (sam, kim) = try await open(kind)
        try await sam.put("a", "sam's")
        try await sam.put("b/c", "sam's")
        #expect(try await kim.read("a") == nil)
        #expect(try await kim.keys.isEmpty)
        #expect(try await kim.keys(beginningWith: "b").isEmpty)
        try await kim.put("a", "kim's", expecting: .nothing)
        try await kim.put("b/d", "kim's")
        #expect(try await sam.text("a") == "sam's")
        #expect(try await kim.text("a") == "kim's")
        #expect(try await sam.keys == ["a", "b/c"])
        #expect(try await kim.keys(beginningWith: "b") == ["b/d"])
        try await kim.remove("a")
        try await kim.remove("b/c")
        #expect(try await sam.text("a") == "sam's")
        #expect(try await sam.text("b/c") == "sam's")
        #expect(try await kim.keys == ["b/d"])
    }

    @Test(arguments: StoreKind.withOwners)
    func revisionOfAnotherOwnerIsAConflict(kind: StoreKind) async throws {
        let (sam, kim) = try await open(kind)
        let his = try await sam.put("a", "1")
        let hers = try await kim.put("a", "1")
        guard
            case .conflict(let current) = try await kim.commit([StoreWrite("a", .text("2"), expecting: .revision(his))])
        else {
            Issue.record("A revision of another owner was accepted.")
            return
        }
        #expect(current["a"]??.revision == hers)
        #expect(try await kim.setAside("a", revision: his, reason: "no text") == nil)
        // The newer version of one owner protects nothing of the other.
        try await sam.put("a", "2", version: 9)
        try await kim.put("a", "2", expecting: .revision(hers))
        #expect(try await sam.text("a") == "2")
        #expect(try await kim.text("a") == "2")
        #expect(await code { try await sam.put("a", "3") } == .newerVersion)
        // Many writers of both owners at once lose nothing.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask { try await sam.increment("n") }
                group.addTask { try await kim.increment("n") }
            }
            try await group.waitForAll()
        }
        #expect(try await sam.text("n") == "10")
        #expect(try await kim.text("n") == "10")
    }

    @Test(arguments: StoreKind.withOwners)
    func setAsideValuesAreTheOwnersOwn(kind: StoreKind) async throws {
        let (sam, kim) = try await open(kind)
        let (his, hers) = (try await sam.put("a", "sam's"), try await kim.put("a", "kim's"))
        let record = try #require(try await sam.setAside("a", revision: his, reason: "no text"))
        let other = try #require(try await kim.setAside("a", revision: hers, reason: "no text"))
        #expect(try await sam.setAsideRecords() == [record])
        #expect(try await kim.setAsideRecords() == [other])
        #expect(try await kim.setAsideContent(of: record) == nil)
        #expect(await code { try await kim.restore(record, expecting: .anything, reason: "") } == .missing)
        #expect(try await !kim.removeSetAside(record))
        #expect(try await kim.keys.isEmpty)
        #expect(try await sam.keys.isEmpty)
        try await sam.restore(record, expecting: .nothing, reason: "")
        #expect(try await sam.text("a") == "sam's")
        #expect(try await kim.read("a") == nil)
        #expect(try await kim.setAsideRecords() == [other])
    }

    @Test(arguments: StoreKind.withOwners)
    func changesOfAnotherOwnerAreNotReported(kind: StoreKind) async throws {
        let (sam, kim) = try await open(kind)
        var changes = sam.updates().makeAsyncIterator()
        for number in 0..<20 {
            try await kim.put("a", "\(number)")
            try await kim.put("kim's", "\(number)")
            let own = try StoreKey("own \(number)")
            try await sam.put(own, "\(number)")
            let reported = await changes.wait(for: [own])
            // An earlier change of the owner may be reported twice.
            #expect(reported.allSatisfy { $0.name.hasPrefix("own ") }, "\(reported)")
        }
        #expect(try await sam.keys.count == 20)
    }
}
