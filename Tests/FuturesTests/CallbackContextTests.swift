import Futures
import Testing

@Suite(.timeLimit(.minutes(10))) struct CallbackContextTests {
    @Test func callbacksRunSynchronouslyByDefault() {
        let journal = Journal<String>()
        let promise = Promise<Int, Fault>()
        promise.future.onSuccess { _ in journal.add("callback") }
        promise.resolve(1)
        #expect(journal.entries == ["callback"])
    }

    @Test func callbacksOnTheMainActorRunInOrder() async {
        let journal = Journal<String>()
        let promise = Promise<Int, Fault>()
        let done = Promise<Void, Never>()
        for number in 0..<100 {
            promise.future.onSuccess(on: .main) { _ in
                MainActor.assumeIsolated { journal.add("\(number)") }
            }
        }
        promise.future.finally(on: .main) { _ in
            MainActor.assumeIsolated { _ = done.resolve(()) }
        }
        promise.resolve(1)
        promise.future.onError(on: .main) { _ in Issue.record("there is no error") }
        await done.future.value
        #expect(journal.entries == (0..<100).map { "\($0)" })
    }

    @Test func callbacksOnAnActorAreIsolatedToIt() async {
        let counter = Counter()
        let context = CallbackContext.actor(counter)
        let promise = Promise<Int, Fault>()
        let done = Promise<Void, Never>()
        for _ in 0..<100 {
            promise.future.onError(on: context) { _ in counter.assumeIsolated { $0.count += 1 } }
        }
        promise.future.finally(on: context) { _ in done.resolve(()) }
        promise.reject(.late)
        await done.future.value
        #expect(await counter.count == 100)
    }

    @Test func callbacksRunOnTheGivenTaskExecutor() async {
        let executor = OwnExecutor()
        let done = Promise<Bool, Never>(valueOnAbandon: { false })
        Future<Int, Fault>.preResolved(value: 1).onSuccess(on: .executor(executor)) { _ in
            done.resolve(executor.isRunning)
        }
        #expect(await done.future.value)
    }

    @Test func contextRunsCallbacksOneAtATimeInOrder() {
        let journal = Journal<String>()
        let blocks = Lock<[@Sendable () -> Void]>([])
        let context = CallbackContext { block in blocks.withLock { $0.append(block) } }
        let promise = Promise<Int, Fault>()
        promise.future.onSuccess(on: context) { _ in
            journal.add("first")
            promise.future.onSuccess(on: context) { _ in journal.add("third") }
        }
        promise.future.onSuccess(on: context) { _ in journal.add("second") }
        promise.resolve(1)
        #expect(journal.entries.isEmpty)
        let started = blocks.withLock { $0 }
        #expect(started.count == 1)
        for block in started { block() }
        #expect(journal.entries == ["first", "second", "third"])
        promise.future.onSuccess(on: context) { _ in journal.add("fourth") }
        #expect(blocks.withLock { $0 }.count == 2)
    }
}

private actor Counter {
    var count = 0
}

private final class OwnExecutor: TaskExecutor {
    private let depth = Lock(0)

    var isRunning: Bool { depth.withLock { $0 > 0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        depth.withLock { $0 += 1 }
        unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        depth.withLock { $0 -= 1 }
    }
}
