import HuntSupport
import Interleaving
import Testing

@Suite struct CancellationHandlerHunts {
    @Test func handlerRunsOnceIfCancelled() {
        hunt("withTaskCancellationHandler", "the handler runs at most once, and always if the operation is cancelled") {
            let calls = Log<Int>()
            let task = Task {
                await withTaskCancellationHandler {
                    await Task.yield()
                    return Task.isCancelled
                } onCancel: {
                    calls.append(1)
                }
            }
            let cancellers = (0..<2).map { _ in Task { task.cancel() } }
            let wasCancelled = await task.value
            for canceller in cancellers { await canceller.value }
            check(calls.count <= 1, "the handler ran \(calls.count) times")
            check(!wasCancelled || calls.count == 1, "cancelled in the operation, but the handler did not run")
        }
    }

    @Test func handlerDoesNotRunAfterTheOperation() {
        hunt("withTaskCancellationHandler", "the handler never runs after the operation has returned") {
            let events = Log<String>()
            let task = Task {
                await withTaskCancellationHandler {
                    await Task.yield()
                } onCancel: {
                    events.append("handler")
                }
                events.append("returned")
                await Task.yield()
            }
            let canceller = Task { task.cancel() }
            await task.value
            await canceller.value
            check(events.elements.last == "returned", "\(events.elements)")
        }
    }

    @Test func nestedHandlersRunOnceEach() {
        hunt("withTaskCancellationHandler", "nested handlers run once each") {
            let events = Log<String>()
            let task = Task {
                await withTaskCancellationHandler {
                    await withTaskCancellationHandler {
                        try? await Task.sleep(for: .seconds(3600))
                    } onCancel: {
                        events.append("inner")
                    }
                } onCancel: {
                    events.append("outer")
                }
            }
            let canceller = Task { task.cancel() }
            await task.value
            await canceller.value
            check(events.elements.sorted() == ["inner", "outer"], "\(events.elements)")
        }
    }
}
