import CoreMetrics
import Testing

@testable import PrometheusMetrics

@Suite struct PrometheusMetricsTests {
    private let metrics = PrometheusMetrics()

    @Test func eachKindHasItsFormAndName() async {
        metrics.describe("http_requests_total", "Requests:\nall of \\them.")
        let requests = Counter(label: "http.requests", dimensions: [("method", "GET")], factory: metrics)
        requests.increment(by: 2)
        Counter(label: "http.requests", dimensions: [("method", "GET")], factory: metrics).increment()
        let active = Meter(label: "active", factory: metrics)
        active.increment(by: 3)
        active.decrement(by: 0.5)
        Recorder(label: "sizes", factory: metrics).record(7)
        Recorder(label: "last", aggregate: false, factory: metrics).record(-4)
        let text = await metrics.text()
        #expect(
            text == """
                # TYPE active gauge
                active 2.5
                # HELP http_requests_total Requests:\\nall of \\\\them.
                # TYPE http_requests_total counter
                http_requests_total{method="GET"} 3
                # TYPE last gauge
                last -4
                # TYPE sizes histogram
                sizes_bucket{le="+Inf"} 1
                sizes_sum 7
                sizes_count 1

                """)
    }

    @Test func timesAreCountedInEachBucketThatTheyFit() async {
        let timer = Timer(label: "request.duration", dimensions: [("route", "/a")], factory: metrics)
        for milliseconds in [0, 1, 2, 30, 90_000] { timer.recordMilliseconds(milliseconds) }
        let lines = await metrics.text().split(separator: "\n").map(String.init)
        func bucket(_ bound: String) -> String? {
            lines.first { $0.contains("le=\"\(bound)\"") }.flatMap { $0.split(separator: " ").last.map(String.init) }
        }
        #expect(lines.first == "# TYPE request_duration_seconds histogram")
        #expect(bucket("0.001") == "2" && bucket("0.0025") == "3" && bucket("0.025") == "3" && bucket("0.05") == "4")
        #expect(bucket("60") == "4" && bucket("+Inf") == "5")
        #expect(lines.contains("request_duration_seconds_sum{route=\"/a\"} 90.033"))
        #expect(lines.contains("request_duration_seconds_count{route=\"/a\"} 5"))
    }

    @Test func sourcesAreReadAnewForEachText() async {
        let numbers = Meter(label: "unused", factory: metrics)
        _ = numbers
        let count = PrometheusNumber()
        metrics.addSource {
            count.increment(by: 1.0)
            return [
                PrometheusSample("lanes", "Lanes.", labels: [("lane", "b")], count.values[0].value),
                PrometheusSample("lanes", "Lanes.", labels: [("lane", "a")], .infinity),
            ]
        }
        _ = await metrics.text()
        #expect(
            await metrics.text() == """
                # HELP lanes Lanes.
                # TYPE lanes gauge
                lanes{lane="a"} +Inf
                lanes{lane="b"} 2
                # TYPE unused gauge
                unused 0

                """)
    }

    /// A text may contain a label's end, and a name any scalar.
    @Test(arguments: [
        ("a\"} 1\nb", "a\\\"} 1\\nb"), ("C:\\", "C:\\\\"), ("", ""), ("🐄\u{0}\r", "🐄\u{0}\r"),
    ])
    func labelsAreEscaped(value: String, written: String) async {
        Counter(label: "1 ü\n", dimensions: [("le \"", value), ("", "empty")], factory: metrics).increment()
        let text = await metrics.text()
        #expect(text == "# TYPE _1____total counter\n_1____total{_=\"empty\",le__=\"\(written)\"} 1\n")
    }

    @Test func aNameHasALimitOfSeriesAndOneKind() async {
        for number in 0..<(PrometheusMetrics.seriesLimit + 10) {
            Counter(label: "many", dimensions: [("number", "\(number)")], factory: metrics).increment()
        }
        // A meter of the name that the counter has in the text.
        Meter(label: "many_total", factory: metrics).set(1)
        metrics.addSource { [PrometheusSample("many_total", "Another kind.", 1)] }
        let lines = await metrics.text().split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("many_total{") && $0.hasSuffix(" 1") } == PrometheusMetrics.seriesLimit)
        #expect(lines.contains("# TYPE many_total counter") && lines.contains("metrics_hidden_series 11"))
        #expect(lines.count == PrometheusMetrics.seriesLimit + 4)
    }

    @Test func destroyedMetricsAreForgotten() async {
        let counter = Counter(label: "gone", factory: metrics)
        let timer = Timer(label: "kept", factory: metrics)
        counter.increment()
        counter.destroy()
        #expect(await !metrics.text().contains("gone_total"))
        timer.destroy()
    }

    @Test func concurrentMeasurementsAreAllCounted() async {
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [metrics] in
                    for _ in 0..<1_000 {
                        Counter(label: "many", factory: metrics).increment()
                        Timer(label: "times", factory: metrics).recordNanoseconds(1)
                    }
                }
            }
        }
        let text = await metrics.text()
        #expect(text.contains("many_total 8000\n") && text.contains("times_seconds_count 8000\n"))
    }
}
