import Foundation
import Futures
import Interleaving
import StoreTesting
import Testing

@testable import Persistence

/// Explores an autosave under many schedules: it never hangs, and the newest value is stored in the end.
@Suite(.timeLimit(.minutes(20))) struct AutosaveExplorations {
    private static let schedules = isSoak ? 50_000 : 1_000

    /// Records the written values, and suspends during each write.
    private final class WriteRecorder: Sendable {
        private struct State: Sendable {
            var values: [Int] = []
            var inFlight = 0
            var failures = 0
        }

        private let state: Lock<State>

        init(failures: Int = 0) {
            self.state = Lock(State(failures: failures))
        }

        var values: [Int] { state.withLock { $0.values } }

        func write(_ value: Int) async throws(StoreError) {
            let count = state.withLock { state in
                state.inFlight += 1
                return state.inFlight
            }
            check(count == 1, "\(count) writes at a time")
            await Task.yield()
            let fails = state.withLock { state in
                state.inFlight -= 1
                state.failures -= 1
                if state.failures < 0 { state.values.append(value) }
                return state.failures >= 0
            }
            if fails { throw .temporary }
        }
    }

    /// Numbers the saved values in their order.
    private final class SaveCounter: Sendable {
        private let count = Lock(0)

        func next(_ save: (Int) -> Void) -> Int {
            count.withLock { count in
                count += 1
                save(count)
                return count
            }
        }
    }

    private static func saving(_ recorder: WriteRecorder) -> Autosave<Int> {
        var backoff = AutosaveSettings.backoff
        backoff.random = { 0 }
        return Autosave("number", settings: AutosaveSettings(backoff: backoff)) {
            (value: Int) throws(StoreError) in try await recorder.write(value)
        }
    }

    @Test func flushStoresTheSavedValueOrANewerOne() {
        explore(schedules: Self.schedules) {
            let recorder = WriteRecorder()
            let saving = Self.saving(recorder)
            let counter = SaveCounter()
            @Sendable func save() async throws {
                let number = counter.next { saving.save($0) }
                try await saving.flush()
                check(
                    recorder.values.contains { $0 >= number },
                    "\(number) was flushed, but \(recorder.values) was written")
            }
            async let first: Void = save()
            async let second: Void = save()
            _ = try await (first, second)
            check(recorder.values.last == 2, "\(recorder.values)")
            check(recorder.values == recorder.values.sorted(), "\(recorder.values)")
            check(saving.status.isSaved, "\(saving.status)")
        }
    }

    @Test func valueSavedDuringAWriteIsWrittenAfterIt() {
        explore(schedules: Self.schedules) {
            let recorder = WriteRecorder()
            do {
                let saving = Self.saving(recorder)
                saving.save(1)
                Task { try? await saving.flush() }
                Task { saving.save(2) }
            }
            // Virtual time advances when no task can run.
            try await Task.sleep(for: .seconds(10))
            check(recorder.values.last == 2, "\(recorder.values)")
        }
    }

    @Test func cancelledFlushDoesNotFailOthers() {
        explore(schedules: Self.schedules) {
            let recorder = WriteRecorder()
            let saving = Self.saving(recorder)
            saving.save(1)
            let cancelled = Task { await code { try await saving.flush() } }
            let other = Task { await code { try await saving.flush() } }
            let canceller = Task { cancelled.cancel() }
            let outcomes = await (cancelled.value, other.value)
            await canceller.value
            check(outcomes.0 == nil || outcomes.0 == .cancelled, "\(String(describing: outcomes.0))")
            check(outcomes.1 == nil, "\(String(describing: outcomes.1))")
            check(recorder.values == [1], "\(recorder.values)")
        }
    }

    @Test func failedWritesAreRetriedUntilStored() {
        explore(schedules: Self.schedules) {
            let recorder = WriteRecorder(failures: 2)
            let saving = Self.saving(recorder)
            saving.save(1)
            let flush = Task { await code { try await saving.flush() } }
            let other = Task { saving.save(2) }
            _ = await (flush.value, other.value)
            try await Task.sleep(for: .seconds(100))
            check(recorder.values.last == 2, "\(recorder.values)")
            check(saving.status.isSaved, "\(saving.status)")
        }
    }

    @Test func flushThatRacesItsDeadlineSucceedsOrTimesOut() {
        explore(schedules: Self.schedules) {
            let recorder = WriteRecorder(failures: 1)
            let saving = Self.saving(recorder)
            saving.save(1)
            let outcome = await code { try await saving.flush(within: .seconds(1)) }
            check(outcome == .inputOutput, "\(String(describing: outcome))")
            let second = await code { try await saving.flush(within: .zero) }
            check(second == nil || second == .timedOut, "\(String(describing: second))")
            try await saving.flush()
            check(recorder.values == [1], "\(recorder.values)")
        }
    }
}
