import Capture
import OfflineLibraryModel
import Testing

@testable import OfflineLibraryWeb

/// Tests the words for the progress of a capture.
@Suite struct CapturePhaseTests {
    @Test(arguments: [
        (0, 0, 0, "Asking for the page"), (0, 1, 0, "Loading the page"), (0, 3, 2_000, "Loading the page"),
        (2, 5, 2_000, "Loading: 2 of 5 parts, 2"),
    ])
    func partsAreCountedOnceOneHasArrived(finished: Int, started: Int, bytes: Int, text: String) {
        // The unit of the size depends on the locale.
        let phase = CapturePhase.capturing(.loading(finished: finished, started: started, bytes: bytes))
        #expect(phase.text.hasPrefix(text))
    }

    @Test func zeroBytesAreShownAsNumber() {
        // A response without a body is complete before any byte has arrived.
        let text = CapturePhase.capturing(.loading(finished: 1, started: 2, bytes: 0)).text
        #expect(text.hasPrefix("Loading: 1 of 2 parts, 0") && !text.contains("Zero"))
    }
}
