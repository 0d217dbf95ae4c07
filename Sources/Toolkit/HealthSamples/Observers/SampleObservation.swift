public import Foundation
import Futures
import Persistence

/// Tells an observer that there is something new: read it, and then ``acknowledge()``.
public struct SampleDelivery: Sendable {
    /// Who is told.
    public let observer: SampleObserver
    /// Up to where: all of it can be read.
    let anchor: Anchor
    let store: any SampleStore
    let source: SampleSource

    /// Says that it was dealt with, up to where it was told: it is not told again of that.
    ///
    /// Do so after what was made of it is kept.
    ///
    /// - Throws: ``SampleStoreError``: then it is told again.
    public func acknowledge() async throws(SampleStoreError) {
        try await store.acknowledge(anchor, by: observer, by: source)
    }
}

/// What an observer is told, until its task is cancelled or it is removed: see
/// ``SampleStore/observe(_:by:redelivery:now:clock:onFailure:)``.
public struct SampleDeliveries: AsyncSequence, Sendable {
    let store: any SampleStore
    let observer: SampleObserver
    let source: SampleSource
    let redelivery: TimeInterval
    let now: @Sendable () -> Date
    let clock: any Clock<Duration>
    let onFailure: @Sendable (SampleStoreError) -> Void

    /// Goes through the deliveries; for one task.
    public func makeAsyncIterator() -> Iterator {
        // Listening comes before looking: nothing is missed in between.
        Iterator(
            deliveries: self, updates: store.updates(observer.query, by: source).makeAsyncIterator(),
            machine: SampleObservationStateMachine(redelivery: redelivery))
    }

    /// Goes through the deliveries.
    public struct Iterator: AsyncIteratorProtocol {
        let deliveries: SampleDeliveries
        var updates: Updates<Set<SampleType>>.Iterator
        var machine: SampleObservationStateMachine

        /// The next delivery, when there is something that was not acknowledged and the time has come; `nil` when the
        /// task is cancelled, or the observer was removed or is another one now.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> SampleDelivery? {
            while !Task.isCancelled {
                let action: SampleObservationStateMachine.Action
                let stopwatch: Stopwatch
                do throws(SampleStoreError) {
                    guard let record = try await deliveries.record() else { return nil }
                    let hasNews = try await deliveries.hasNews(record)
                    stopwatch = Stopwatch(deliveries.clock)
                    action = machine.next(record, hasNews: hasNews, now: deliveries.now())
                    if action == .deliver { return try await deliver() }
                } catch {
                    if error.code == .cancelled { return nil }
                    // One failure is no reason to tell nothing ever after.
                    deliveries.onFailure(error)
                    guard await Self.sleep(deliveries.redelivery, of: Stopwatch(deliveries.clock)) else { return nil }
                    continue
                }
                switch action {
                case .deliver: break
                case .sleep(let seconds):
                    guard await Self.sleep(seconds, of: stopwatch) else { return nil }
                case .waitForChange:
                    guard await updates.next(isolation: actor) != nil else { return nil }
                }
            }
            return nil
        }

        /// The delivery; `nil` if the observer is no longer this one.
        private mutating func deliver() async throws(SampleStoreError) -> SampleDelivery? {
            let (store, observer, source) = (deliveries.store, deliveries.observer, deliveries.source)
            let anchor = try await store.latestAnchor(observer.query, by: source)
            // First: who ends in the middle waits for the interval, and is then told again.
            let record = try await store.noteDelivery(at: deliveries.now(), to: observer, by: source)
            guard let record else { return nil }
            machine.told(record)
            return SampleDelivery(observer: observer, anchor: anchor, store: store, source: source)
        }

        /// Sleeps until a stopwatch shows so many seconds; false if the task was cancelled.
        private static func sleep(_ seconds: TimeInterval, of stopwatch: Stopwatch) async -> Bool {
            // No time that a caller gives may end the program; not even NaN.
            let longest = SampleObserver.longestInterval
            let pause = seconds < longest ? Swift.max(seconds, 0) : longest
            do {
                try await stopwatch.sleep(until: .seconds(pause))
                return true
            } catch {
                return false
            }
        }
    }
}

extension SampleDeliveries {
    /// What is kept of the observer; `nil` if somebody has removed it meanwhile, or made another of it.
    fileprivate func record() async throws(SampleStoreError) -> ObserverRecord? {
        guard let record = try await store.observer(observer.name, by: source), record.observer == observer
        else { return nil }
        return record
    }

    /// Whether there is something that it has not acknowledged.
    fileprivate func hasNews(_ record: ObserverRecord) async throws(SampleStoreError) -> Bool {
        do throws(SampleStoreError) {
            let page = try await store.changes(observer.query, since: record.acknowledged, limit: 1, by: source)
            return !page.added.isEmpty || !page.deleted.isEmpty
        } catch {
            // What has changed since is not known, which is news.
            if error.asksForResync { return true }
            throw error
        }
    }
}

extension SampleStore {
    /// Tells somebody, again and again, that there is something new, until it is acknowledged.
    ///
    /// The store remembers who observes what, and what was acknowledged: after a restart, observe again under the same name,
    /// and what was not acknowledged is told again. An observer that was told of another query begins anew.
    ///
    /// Of a name there is one observer. When another query or interval is observed under it, or it is removed, who was
    /// told before is told no more: his deliveries end when they would look next, at a change or after a pause.
    ///
    /// - Parameters:
    ///   - observer: Who is told of what; one at a time of that name.
    ///   - source: Whose observer it is.
    ///   - redelivery: After how many seconds it is told again of what it has not acknowledged, and looked again after a
    ///     failure: 0 or more. More than a year (366 days), `.infinity` too, is a year.
    ///   - now: The time.
    ///   - clock: What pauses are measured by.
    ///   - onFailure: Told each time that the store cannot be read; it is tried again.
    /// - Returns: The deliveries, until the task that takes them is cancelled, or the observer is no longer this one.
    /// - Throws: ``SampleStoreError``: `invalidSample` or `invalidQuery` if that cannot be observed, or not at such
    ///   times.
    public func observe(
        _ observer: SampleObserver, by source: SampleSource, redelivery: TimeInterval = 60,
        now: @escaping @Sendable () -> Date = { Date() }, clock: any Clock<Duration> = ContinuousClock(),
        onFailure: @escaping @Sendable (SampleStoreError) -> Void = { _ in }
    ) async throws(SampleStoreError) -> SampleDeliveries {
        let redelivery = try observer.checked(redelivery: redelivery)
        try await keep(observer, by: source)
        return SampleDeliveries(
            store: self, observer: observer, source: source, redelivery: redelivery, now: now, clock: clock,
            onFailure: onFailure)
    }
}
