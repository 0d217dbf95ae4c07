import Foundation
import Testing

@testable import Persistence

/// Values whose key was renamed.
@MainActor
@Suite(.timeLimit(.minutes(20))) struct RenamedKeyTests {
    private func stored(_ key: StoreKey, formerly: [StoreKey] = [], in store: any Store) -> Stored<[Int]> {
        Stored(
            key, formerly: formerly, in: store, format: .numbers, default: [],
            settings: AutosaveSettings(delay: .zero))
    }

    @Test(arguments: StoreKind.allCases)
    func valueIsMovedToItsNewKey(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let old = await stored("old", in: try await fixture.open()).load()
        old.value = [1, 2]
        try await old.flush()
        let store = try await fixture.open()
        let new = await stored("new", formerly: ["older", "old"], in: store).load()
        #expect(new.value == [1, 2])
        #expect(try await store.keys == ["new"])
        new.value.append(3)
        try await new.flush()
        let again = await stored("new", formerly: ["older", "old"], in: try await fixture.open()).load()
        #expect(again.value == [1, 2, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func valueOfTheNewKeyIsNotReplaced(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        for (key, value) in [("old", [1]), ("new", [2])] as [(StoreKey, [Int])] {
            let numbers = await stored(key, in: store).load()
            numbers.value = value
            try await numbers.flush()
        }
        let new = await stored("new", formerly: ["old"], in: try await fixture.open()).load()
        #expect(new.value == [2])
        #expect(try await store.keys == ["new", "old"])
    }

    @Test(arguments: StoreKind.allCases)
    func concurrentMovesBothReadTheValue(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        for round in 0..<10 {
            let (old, new) = (try StoreKey("old-\(round)"), try StoreKey("new-\(round)"))
            let numbers = await stored(old, in: try await fixture.open()).load()
            numbers.value = [round]
            try await numbers.flush()
            let (first, second) = (try await fixture.open(), try await fixture.open())
            async let one = first.read(new, formerly: [old])
            async let other = second.read(new, formerly: [old])
            let records = try await [one, other]
            #expect(records[0] != nil && records[0]?.content == records[1]?.content)
            #expect(try await first.read(old) == nil)
        }
    }

    @Test func existingDefaultsAreAdoptedOnceAndNotRemoved() async throws {
        let fixture = try StoreFixture(.defaults)
        let suite = StoreKind.suite(at: fixture.path)
        let data = Data("[1,2]".utf8)
        UserDefaults(suiteName: suite)?.set(data, forKey: "Numbers:Main")
        let store = try UserDefaultsStore(suite: suite, lock: fixture.path + ".lock")
        #expect(try await store.adopt(entry: "Numbers:Main", as: "numbers", format: "numbers", version: 1))
        let adopted = await stored("numbers", in: store).load()
        #expect(adopted.value == [1, 2])
        #expect(UserDefaults(suiteName: suite)?.data(forKey: "Numbers:Main") == data)
        try await store.remove("numbers")
        #expect(try await !store.adopt(entry: "Numbers:Main", as: "numbers", format: "numbers", version: 1))
        #expect(try await !store.adopt(entry: "Numbers:Other", as: "numbers", format: "numbers", version: 1))
        try await store.put("taken", "newer")
        UserDefaults(suiteName: suite)?.set(data, forKey: "Taken")
        #expect(try await !store.adopt(entry: "Taken", as: "taken", format: "numbers", version: 1))
        #expect(try await store.text("taken") == "newer")
    }
}
