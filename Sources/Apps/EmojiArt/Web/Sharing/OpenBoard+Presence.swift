import Futures
import Site

// Who looks at an open board.

extension OpenBoard {
    /// The shortest time between two events about cursors.
    nonisolated private static let pause = Duration.milliseconds(80)

    func join(tab: String, person: String, name: Presence.Name) -> Int? {
        let stream = presence.join(tab: tab, person: person, name: name)
        if stream != nil { presenceDidChange() }
        return stream
    }

    func leave(tab: String, stream: Int) {
        presence.leave(tab: tab, stream: stream)
        presenceDidChange()
    }

    func receive(_ report: PresenceReport, from person: String) -> Presence.Outcome {
        let outcome = presence.receive(report, from: person, at: .now)
        if outcome == .shown { presenceDidChange() }
        return outcome
    }

    /// Shows the change at once, or after the pause since the last one.
    private func presenceDidChange() {
        guard presencePause == nil else {
            hasPresenceNews = true
            return
        }
        showPresence()
        presencePause = Task { [weak self] in
            let hasEnded = (try? await Stopwatch(ContinuousClock()).sleep(until: Self.pause)) != nil
            guard hasEnded, let self else { return }
            presencePause = nil
            guard hasPresenceNews else { return }
            hasPresenceNews = false
            presenceDidChange()
        }
    }
}
