import Capture
import Figures
import Synchronization

/// When one capture came how far, by what it told of its progress.
final class CapturePhases: Sendable {
    /// The parts of a capture, in order, each with what it begins with.
    enum Phase: String, CaseIterable {
        case opening = "open a tab"
        case loading = "load, and show lazy content"
        case settling = "come to rest: requests, fonts, pictures"
        case archiving = "make the web archive"
        case drawing = "make the PNG"
        case printing = "make the PDF, close the tab"
    }

    private let begun = Mutex<[Phase: ContinuousClock.Instant]>([:])

    /// To be called with each progress that the capture tells.
    func note(_ progress: CaptureProgress) {
        let now = ContinuousClock.now
        let phase: Phase =
            switch progress {
            case .starting: .opening
            case .loading: .loading
            case .settling: .settling
            case .rendering(.webArchive): .archiving
            case .rendering(.png): .drawing
            case .rendering(.pdf): .printing
            }
        begun.withLock { $0[phase] = $0[phase] ?? now }
    }

    /// How long each phase took, in milliseconds, if it happened; the last until now.
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
