package import CoreMetrics
import Futures

/// The metrics of a process, in the text format of Prometheus.
///
/// It is a backend of swift-metrics; ``text()`` returns all metrics at the time of the call. A label such as
/// `http.server.requests` becomes the name `http_server_requests`, with the suffix that is usual for its kind:
///
/// | swift-metrics | Prometheus | suffix |
/// |---|---|---|
/// | `Counter`, `FloatingPointCounter` | counter | `_total` |
/// | `Meter`, `Recorder` that doesn't aggregate | gauge | – |
/// | `Timer` | histogram of seconds, with ``PrometheusHistogram/bounds`` | `_seconds` |
/// | `Recorder` that aggregates | histogram without bounds: a sum and a count | – |
///
/// A name has at most ``seriesLimit`` series, so that no client of a server can fill the memory with series. Others, and
/// those of a second kind with the same name, are measured but only counted: `metrics_hidden_series`.
package final class PrometheusMetrics: Sendable {
    /// The largest number of series with the same name.
    package static let seriesLimit = 10_000

    private struct Family: Sendable {
        var kind: PrometheusKind
        var series: [[PrometheusLabel]: any PrometheusSeries] = [:]
    }

    private struct State: Sendable {
        var families: [String: Family] = [:]
        var descriptions: [String: String] = [:]
        var sources: [@Sendable () async -> [PrometheusSample]] = []
        /// The number of series that were made and aren't shown.
        var hiddenCount = 0
    }

    private let state = Lock(State())

    /// Creates a registry without metrics.
    package init() {}

    /// Sets what the metrics of a name measure; `name` is that of Prometheus, with its suffix.
    package func describe(_ name: String, _ description: String) {
        state.withLock { $0.descriptions[name] = description }
    }

    /// Adds metrics that are read anew for each text, such as the number of open connections.
    ///
    /// - Parameter read: Returns the samples; it is called for each text.
    package func addSource(_ read: @escaping @Sendable () async -> [PrometheusSample]) {
        state.withLock { $0.sources.append(read) }
    }

    /// Returns the series of a name with these dimensions, or adds it.
    private func series<Series: PrometheusSeries>(
        _ label: String, suffix: String, _ dimensions: [(String, String)], _ kind: PrometheusKind, _ make: () -> Series
    ) -> Series {
        let name = PrometheusText.name(label, suffix: suffix)
        let labels = PrometheusText.labels(dimensions)
        return state.withLock { state in
            let made = make()
            guard let family = state.families[name] else {
                state.families[name] = Family(kind: kind, series: [labels: made])
                return made
            }
            let known = family.series[labels]
            if let known = known as? Series, family.kind == kind { return known }
            guard family.kind == kind, known == nil, family.series.count < Self.seriesLimit else {
                state.hiddenCount += 1
                return made
            }
            state.families[name]?.series[labels] = made
            return made
        }
    }

    private func remove(_ series: AnyObject) {
        state.withLock { state in
            for (name, family) in state.families {
                for (labels, known) in family.series where known === series {
                    state.families[name]?.series[labels] = nil
                }
            }
        }
    }
}

extension PrometheusMetrics {
    /// All metrics, in version 0.0.4 of the text format:
    /// <https://prometheus.io/docs/instrumenting/exposition_formats/>.
    package func text() async -> String {
        var samples: [PrometheusSample] = []
        for read in state.withLock(\.sources) { samples += await read() }
        let (families, descriptions, hiddenCount) = state.withLock { ($0.families, $0.descriptions, $0.hiddenCount) }
        var text = PrometheusText(descriptions: descriptions)
        for (name, family) in families {
            for (labels, series) in family.series { text.add(name, family.kind, labels, series.values) }
        }
        for sample in samples { text.add(sample) }
        if hiddenCount > 0 {
            text.add(PrometheusSample("metrics_hidden_series", "Series above the limit.", Double(hiddenCount)))
        }
        return text.description
    }
}

extension PrometheusMetrics: MetricsFactory {
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, suffix: "_total", dimensions, .counter) { PrometheusNumber() }
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, suffix: "_total", dimensions, .counter) { PrometheusNumber() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, suffix: "", dimensions, .gauge) { PrometheusNumber() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return series(label, suffix: "", dimensions, .gauge) { PrometheusNumber() } }
        return series(label, suffix: "", dimensions, .histogram) { PrometheusHistogram(bounds: []) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, suffix: "_seconds", dimensions, .histogram) { PrometheusHistogram() }
    }

    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }
}
