import Loading
import SeededChance
import Testing

@Suite struct LRUCacheTests {
    @Test func theLeastRecentlyUsedEntryIsRemoved() {
        var cache = LRUCache<String, Int>(limit: 2)
        #expect(cache.set(1, for: "a") == [])
        #expect(cache.set(2, for: "b") == [])
        #expect(cache.use("a") == 1)
        #expect(cache.set(3, for: "c") == [2])
        #expect(cache.use("b") == nil)
        #expect(cache.set(4, for: "a") == [1])
        #expect(cache.remove("a") == 4)
        #expect(cache.count == 1)
        #expect(cache.removeAll() == [3])
        #expect(cache.count == 0)
    }

    @Test func subscriptDoesNotCountAsUse() {
        var cache = LRUCache<String, Int>(limit: 2)
        cache.set(1, for: "a")
        cache.set(2, for: "b")
        #expect(cache["a"] == 1)
        #expect(cache.set(3, for: "c") == [1])
    }

    @Test func limitOfZeroStillHoldsOneEntry() {
        var cache = LRUCache<String, Int>(limit: 0)
        #expect(cache.set(1, for: "a") == [])
        #expect(cache.set(2, for: "b") == [1])
    }

    /// Compares the cache with a simple implementation that searches a list.
    @Test func randomOperationsMatchAList() {
        var chance = SeededChance(seed: 1)
        var cache = LRUCache<Int, Int>(limit: 5)
        var list: [(key: Int, value: Int)] = []
        for number in 0..<20_000 {
            let key = Int.random(in: 0..<9, using: &chance)
            func takeFromList() -> Int? { list.firstIndex { $0.key == key }.map { list.remove(at: $0).value } }
            switch Int.random(in: 0..<10, using: &chance) {
            case 0..<4:
                let value = takeFromList()
                #expect(cache.use(key) == value)
                if let value { list.append((key, value)) }
            case 4..<8:
                let old = takeFromList()
                let removed = list.count == 5 ? list.removeFirst().value : nil
                #expect(cache.set(number, for: key) == [old, removed].compactMap(\.self))
                list.append((key, number))
            case 8:
                #expect(cache.remove(key) == takeFromList())
            default:
                #expect(cache.removeLeastRecentlyUsed()?.key == list.first?.key)
                list = Array(list.dropFirst())
            }
            #expect(cache.count == list.count)
        }
    }
}
