import CoreMetrics
import Futures

/// The kinds of metrics of the text format that are used here.
package enum PrometheusKind: String, Sendable {
    case counter, gauge, histogram
}

/// The name and the value of a label.
package struct PrometheusLabel: Hashable, Sendable {
    package var name: String
    package var value: String
}

/// The value of a metric at one time.
package struct PrometheusSample: Sendable {
    /// The name, with the suffix that is usual for its kind.
    package var name: String
    package var kind: PrometheusKind
    package var description: String
    package var labels: [(String, String)]
    package var value: Double

    package init(
        _ name: String, _ description: String, kind: PrometheusKind = .gauge, labels: [(String, String)] = [],
        _ value: Double
    ) {
        (self.name, self.kind, self.description) = (name, kind, description)
        (self.labels, self.value) = (labels, value)
    }
}

/// The measurements of a metric with the same labels.
protocol PrometheusSeries: AnyObject, Sendable {
    /// The values now, with the suffix of their name, and the limit of a histogram's bucket.
    var values: [(suffix: String, bucket: Double?, value: Double)] { get }
}

/// A number that increases, or that is set.
final class PrometheusNumber: PrometheusSeries {
    private let value = Lock(0.0)

    var values: [(suffix: String, bucket: Double?, value: Double)] { [("", nil, value.withLock(\.self))] }
}

extension PrometheusNumber: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler {
    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func reset() { value.withLock { $0 = 0 } }
    func set(_ new: Int64) { set(Double(new)) }
    func set(_ new: Double) { value.withLock { $0 = new } }
    func record(_ new: Int64) { set(Double(new)) }
    func record(_ new: Double) { set(new) }
}

/// How many measurements are below each of several bounds.
package final class PrometheusHistogram: PrometheusSeries {
    /// The bounds of times, in seconds: from a request's share of a millisecond to a capture's minute.
    package static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

    private struct State: Sendable {
        /// The number of measurements in each bucket; the last is that of measurements above all bounds.
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Lock<State>

    init(bounds: [Double] = PrometheusHistogram.bounds) {
        self.bounds = bounds
        state = Lock(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var values: [(suffix: String, bucket: Double?, value: Double)] {
        let state = state.withLock(\.self)
        var values: [(suffix: String, bucket: Double?, value: Double)] = []
        var count = 0
        for (bound, number) in zip(bounds + [.infinity], state.counts) {
            count += number
            values.append(("_bucket", bound, Double(count)))
        }
        return values + [("_sum", nil, state.sum), ("_count", nil, Double(count))]
    }
}

extension PrometheusHistogram: TimerHandler, RecorderHandler {
    package func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    package func record(_ value: Int64) { record(Double(value)) }

    package func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }
}
