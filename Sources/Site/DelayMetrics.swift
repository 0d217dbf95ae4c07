import CoreMetrics
import Futures
import Hummingbird
import NIOCore
package import PrometheusMetrics

/// Measures how long work waits for the main actor and for the event loops, whatever keeps them busy.
package struct DelayMetrics: Sendable {
    private static let interval = Duration.seconds(1)

    private let mainActor: Timer
    private let eventLoops: Timer

    /// Adds the timers to metrics.
    package init(_ metrics: PrometheusMetrics) {
        metrics.describe("meanwhile_main_actor_delay_seconds", "How long work waits for the main actor, every second.")
        metrics.describe(
            "meanwhile_event_loop_delay_seconds", "How long work waits for an event loop, every second for each.")
        mainActor = Timer(label: "meanwhile.main.actor.delay", factory: metrics)
        eventLoops = Timer(label: "meanwhile.event.loop.delay", factory: metrics)
    }

    /// Measures until the task is cancelled.
    package func run() async {
        await Stopwatch(ContinuousClock()).tick(every: Self.interval) {
            await withTaskGroup { group in
                group.addTask {
                    let askedAt = ContinuousClock.now
                    Self.record(askedAt, await MainActor.run { ContinuousClock.now }, in: mainActor)
                }
                for loop in EventLoopGroupProvider.singleton.eventLoopGroup.makeIterator() {
                    group.addTask {
                        let askedAt = ContinuousClock.now
                        // Fails only if the loop has been shut down.
                        guard let ranAt = try? await loop.submit({ ContinuousClock.now }).get() else { return }
                        Self.record(askedAt, ranAt, in: eventLoops)
                    }
                }
            }
        }
    }

    private static func record(_ from: ContinuousClock.Instant, _ to: ContinuousClock.Instant, in timer: Timer) {
        timer.recordNanoseconds(Int64((to - from) / .nanoseconds(1)))
    }
}
