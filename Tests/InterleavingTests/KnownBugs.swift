import Futures
import Interleaving

/// Runs code between two calls of an actor, so that the compiler doesn't omit the hop between them.
@inline(never)
func keepActorHop() {
    hopCount.withLock { $0 += 1 }
}

private let hopCount = Shared(0)

/// A value that several tasks change.
final class Shared<Value: Sendable>: Sendable {
    private let lock: Lock<Value>

    init(_ value: Value) {
        self.lock = Lock(value)
    }

    func withLock<Outcome: Sendable>(_ body: (inout Value) -> Outcome) -> Outcome {
        lock.withLock { body(&$0) }
    }
}

// The bugs that the explorer was first tested on, as named functions so that traces are readable.

extension Bug {
    static let known = [
        Bug("lost update by re-entrancy", faulty: lostUpdate(isAtomic: false), correct: lostUpdate(isAtomic: true)),
        Bug("get, then set, from outside", faulty: getThenSet(isAtomic: false), correct: getThenSet(isAtomic: true)),
        Bug("stale fetch", faulty: staleFetch(isGuarded: false), correct: staleFetch(isGuarded: true)),
        Bug("lost wake-up", faulty: lostWakeUp(isAtomic: false), correct: lostWakeUp(isAtomic: true)),
        Bug("two locks in opposite order", faulty: twoLocks(isOrdered: false), correct: twoLocks(isOrdered: true)),
        Bug("torn read", faulty: tornRead(isAtomic: false), correct: tornRead(isAtomic: true)),
        Bug("four switches deep", faulty: fourSwitches(allowsChange: false), correct: fourSwitches(allowsChange: true)),
    ]

    private static func lostUpdate(isAtomic: Bool) -> Body {
        {
            let bank = Bank()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask { if isAtomic { await bank.withdraw() } else { await bank.withdrawLate() } }
                }
            }
            check(await bank.balance == 98, "lost update")
        }
    }

    private static func getThenSet(isAtomic: Bool) -> Body {
        {
            let bank = Bank()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        if isAtomic {
                            await bank.withdraw()
                        } else {
                            let balance = await bank.balance
                            await bank.set(balance - 1)
                        }
                    }
                }
            }
            check(await bank.balance == 98, "lost update")
        }
    }

    private static func staleFetch(isGuarded: Bool) -> Body {
        {
            let model = PageModel()
            async let first: Void = model.load("a", isGuarded: isGuarded)
            async let second: Void = model.load("b", isGuarded: isGuarded)
            _ = await (first, second)
            let (address, shown) = await (model.address, model.shown)
            check(shown == "page \(address)", "\(address) was requested, but \(shown) is shown")
        }
    }

    private static func lostWakeUp(isAtomic: Bool) -> Body {
        {
            let latch = Latch()
            async let signal: Void = latch.signal()
            if isAtomic {
                await latch.wait()
            } else {
                let isDone = await latch.isDone
                keepActorHop()
                if !isDone { await latch.park() }
            }
            await signal
        }
    }

    private static func twoLocks(isOrdered: Bool) -> Body {
        {
            let first = AsyncLock()
            let second = AsyncLock()
            await withTaskGroup(of: Void.self) { group in
                for turn in 0..<2 {
                    group.addTask {
                        let (outer, inner) = turn == 0 || isOrdered ? (first, second) : (second, first)
                        await outer.lock()
                        await inner.lock()
                        await inner.unlock()
                        await outer.unlock()
                    }
                }
            }
        }
    }

    private static func tornRead(isAtomic: Bool) -> Body {
        {
            let pair = Pair()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<5 { await Task.yield() }
                    if isAtomic {
                        await pair.set(1)
                    } else {
                        await pair.setFirst(1)
                        keepActorHop()
                        await pair.setSecond(1)
                    }
                }
                for _ in 0..<2 { group.addTask { for _ in 0..<5 { await Task.yield() } } }
                group.addTask {
                    let (first, second) = await pair.both
                    check(first == second, "torn read: \(first), \(second)")
                }
            }
        }
    }

    private static func fourSwitches(allowsChange: Bool) -> Body {
        {
            let pair = Pair()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await pair.setFirst(1)
                    keepActorHop()
                    let seen = await pair.second
                    await Task.yield()
                    guard seen == 1 else { return }
                    let later = await pair.second
                    keepActorHop()
                    check(later == 1 || allowsChange, "the second value was 1, and then \(later)")
                }
                group.addTask {
                    guard await pair.first == 1 else { return }
                    keepActorHop()
                    await pair.setSecond(1)
                    await Task.yield()
                    await pair.setSecond(2)
                }
            }
        }
    }
}

private actor Audit {
    private var count = 0

    func log() { count += 1 }
}

private actor Bank {
    private(set) var balance = 100
    private let audit = Audit()

    func set(_ balance: Int) { self.balance = balance }

    func withdraw() async {
        balance -= 1
        await audit.log()
    }

    /// Reads the balance before a suspension and writes it after.
    func withdrawLate() async {
        let before = balance
        await audit.log()
        balance = before - 1
    }
}

private actor Network {
    func page(_ address: String) -> String { "page \(address)" }
}

@MainActor
private final class PageModel {
    private(set) var address = ""
    private(set) var shown = ""
    private let network = Network()

    func load(_ address: String, isGuarded: Bool) async {
        self.address = address
        let page = await network.page(address)
        // A late response must not overwrite a newer one.
        if isGuarded, self.address != address { return }
        shown = page
    }
}

private actor Latch {
    private(set) var isDone = false
    private var waiter: CheckedContinuation<Void, Never>?

    func signal() {
        isDone = true
        waiter?.resume()
        waiter = nil
    }

    func park() async {
        await withCheckedContinuation { waiter = $0 }
    }

    func wait() async {
        if !isDone { await withCheckedContinuation { waiter = $0 } }
    }
}

actor AsyncLock {
    private var isHeld = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func lock() async {
        if isHeld { await withCheckedContinuation { waiters.append($0) } } else { isHeld = true }
    }

    func unlock() {
        if waiters.isEmpty { isHeld = false } else { waiters.removeFirst().resume() }
    }
}

private actor Pair {
    private(set) var first = 0
    private(set) var second = 0

    var both: (Int, Int) { (first, second) }

    func set(_ value: Int) { (first, second) = (value, value) }
    func setFirst(_ value: Int) { first = value }
    func setSecond(_ value: Int) { second = value }
}
