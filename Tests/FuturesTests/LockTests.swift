import Futures
import Testing

@Suite struct LockTests {
    @Test func lockAdmitsOneThreadAtATime() async {
        let count = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { count.increment() }
                }
            }
        }
        #expect(count.value == 80_000)
    }

    @Test func lockRethrowsTheErrorOfATransition() {
        let lock = Lock(1)
        #expect(throws: Fault.broken) {
            try lock.withLock { (value) throws(Fault) -> Int in
                value = 2
                throw .broken
            }
        }
        #expect(lock.withLock { $0 } == 2)
    }
}

private final class Counter: Sendable {
    private let count = Lock(0)

    var value: Int { count.withLock { $0 } }

    func increment() {
        count.withLock { $0 += 1 }
    }
}
