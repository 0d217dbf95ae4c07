import Capture
import CoreMetrics
import Foundation
import Futures
import Jobs
import PrometheusMetrics

/// Times the jobs that the server waits for.
struct JobMetrics: Sendable {
    let metrics: PrometheusMetrics

    init(_ metrics: PrometheusMetrics) {
        self.metrics = metrics
        metrics.describe("meanwhile_job_seconds", "The time from when a job was enqueued to its end.")
        metrics.describe(
            "meanwhile_capture_phase_seconds", "The time of each phase of a capture: starting, loading and so on.")
    }

    func ended(_ record: JobRecord) {
        let outcome =
            switch record.phase {
            case .succeeded: "succeeded"
            case .failed, .dead: "failed"
            case .waiting, .running: "unfinished"
            }
        time(
            "meanwhile.job", [("kind", record.job.kind), ("outcome", outcome)],
            record.changedAt.timeIntervalSince(record.enqueuedAt))
    }

    /// Records the phases of a capture, in seconds; the process that reports them has parsed untrusted pages.
    func captured(_ phases: [String: Double]) {
        for name in CapturePhases.names {
            if let seconds = phases[name] { time("meanwhile.capture.phase", [("phase", name)], seconds) }
        }
    }

    private func time(_ label: String, _ labels: [(String, String)], _ seconds: Double) {
        let timer = Timer(label: label, dimensions: labels, factory: metrics)
        timer.recordNanoseconds(seconds.isFinite ? Int64(min(max(seconds, 0), 1e6) * 1e9) : 0)
    }
}

/// Times the phases of one capture.
final class CapturePhases: Sendable {
    static let names = ["starting", "loading", "settling", "rendering"]

    private struct State {
        var seconds: [String: Double] = [:]
        var current = (name: CapturePhases.names[0], beganAt: ContinuousClock.now)
    }

    private let state = Lock(State())

    func began(_ step: CaptureProgress) {
        switch step {
        case .starting: enter("starting")
        case .loading: enter("loading")
        case .settling: enter("settling")
        case .rendering: enter("rendering")
        }
    }

    /// Ends the current phase, and returns the seconds of each.
    func end() -> [String: Double] {
        enter("")
        return state.withLock(\.seconds)
    }

    private func enter(_ name: String) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard state.current.name != name else { return }
            state.seconds[state.current.name, default: 0] += (now - state.current.beganAt) / .seconds(1)
            state.current = (name, now)
        }
    }
}
