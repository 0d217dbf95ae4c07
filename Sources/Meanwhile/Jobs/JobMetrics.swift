import Capture
import CoreMetrics
import Futures
import Jobs
import PrometheusMetrics

/// Times the jobs that the server waits for.
struct JobMetrics: Sendable {
    let metrics: PrometheusMetrics

    init(_ metrics: PrometheusMetrics) {
        self.metrics = metrics
        metrics.describe("meanwhile_job_seconds", "The time from the request for a job to its end.")
        metrics.describe(
            "meanwhile_capture_phase_seconds", "The time of each phase of a capture, as the server hears of it.")
    }

    func ended(_ record: JobRecord, after duration: Duration) {
        let outcome =
            switch record.phase {
            case .succeeded: "succeeded"
            case .failed, .dead: "failed"
            case .waiting, .running: "unfinished"
            }
        time("meanwhile.job", [("kind", record.job.kind), ("outcome", outcome)], duration)
    }

    func time(_ label: String, _ labels: [(String, String)], _ duration: Duration) {
        Timer(label: label, dimensions: labels, factory: metrics).record(duration)
    }
}

/// Times the phases of one capture.
final class CapturePhases: Sendable {
    private let metrics: JobMetrics
    private let current = Lock<(name: String, beganAt: ContinuousClock.Instant)>(("waiting", .now))

    init(_ metrics: JobMetrics) {
        self.metrics = metrics
    }

    func began(_ step: CaptureProgress) {
        switch step {
        case .starting: enter("starting")
        case .loading: enter("loading")
        case .settling: enter("settling")
        case .rendering: enter("rendering")
        }
    }

    func ended() {
        enter("ended")
    }

    private func enter(_ name: String) {
        let now = ContinuousClock.now
        let last = current.withLock { current -> (name: String, beganAt: ContinuousClock.Instant)? in
            guard current.name != name else { return nil }
            defer { current = (name, now) }
            return current
        }
        if let last { metrics.time("meanwhile.capture.phase", [("phase", last.name)], now - last.beganAt) }
    }
}
