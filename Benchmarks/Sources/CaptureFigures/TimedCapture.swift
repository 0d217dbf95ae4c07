import Capture
import Figures
import Foundation

/// A complete capture and its duration.
struct TimedCapture {
    var capture: PageCapture
    var milliseconds: Double
    /// The duration of each phase, in milliseconds.
    var phases: [CapturePhases.Phase: Double]
}

extension PageCapturer {
    /// Captures a page.
    ///
    /// - Throws: An error if the capture has a warning, other than that the page is blank, or lacks a format.
    func time(_ formats: Set<PageFormat>, of page: URL) async throws -> TimedCapture {
        let phases = CapturePhases()
        let start = ContinuousClock.now
        let capture = try await capture(page, formats: formats, progress: phases.note)
        let milliseconds = (ContinuousClock.now - start).milliseconds
        let durations = phases.durations()
        let warnings = capture.warnings.filter { $0.kind != .blank }
        guard warnings.isEmpty, formats.allSatisfy({ capture.data[$0]?.isEmpty == false }) else {
            throw MeasurementError("The capture of \(page) is incomplete: \(warnings.map(\.message))")
        }
        return TimedCapture(capture: capture, milliseconds: milliseconds, phases: durations)
    }
}
