import Testing

@testable import HTTPFetching

@Suite struct RecentlyUsedTests {
    @Test func theLeastRecentlyUsedGoes() {
        var values = RecentlyUsed<String, Int>(limit: 2)
        #expect(values.add(1, for: "a") == [])
        #expect(values.add(2, for: "b") == [])
        #expect(values.use("a") == 1)
        #expect(values.add(3, for: "c") == [2])
        #expect(values.use("b") == nil)
        #expect(values.add(4, for: "a") == [1])
        #expect(values.remove("a") == 4)
        #expect(values.count == 1)
        #expect(values.removeAll() == [3])
        #expect(values.count == 0)
    }

    @Test func thereIsRoomForOneAtLeast() {
        var values = RecentlyUsed<String, Int>(limit: 0)
        #expect(values.add(1, for: "a") == [])
        #expect(values.add(2, for: "b") == [1])
    }
}
