import Capture
import Figures
import Synchronization

/// Measures the phases of one capture by its progress reports.
final class CapturePhases: Sendable {
    /// The phases of a capture, in order, with their names in the table.
    enum Phase: String, CaseIterable {
        case opening = "open a tab"
        case loading = "load, and show lazy content"
        case settling = "come to rest: requests, fonts, pictures"
        case archiving = "make the web archive"
        case drawing = "make the PNG"
        case printing = "make the PDF, close the tab"
    }

    private let begun = Mutex<[Phase: ContinuousClock.Instant]>([:])

    /// Call this with each progress report of the capture.
    func note(_ progress: CaptureProgress) {
        let now = ContinuousClock.now
        let phase: Phase =
            switch progress {
            case .starting: .opening
            case .loading: .loading
            case .settling: .settling
            case .rendering(.webArchive), .rendering(.wacz): .archiving
            case .rendering(.png): .drawing
            case .rendering(.pdf): .printing
            }
        begun.withLock { $0[phase] = $0[phase] ?? now }
    }

    /// The duration of each phase that occurred, in milliseconds; the last one ends now.
    func durations() -> [Phase: Double] {
        let begun = begun.withLock { $0 }
        var end = ContinuousClock.now
        var durations: [Phase: Double] = [:]
        for phase in Phase.allCases.reversed() {
            guard let start = begun[phase] else { continue }
            durations[phase] = (end - start).milliseconds
            end = start
        }
        return durations
    }
}
