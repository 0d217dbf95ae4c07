import Egress

@testable import Capture

extension PageCapturer.Configuration {
    /// The one that captures of our own site need: it is on this machine, which no page reaches otherwise.
    static var forFixtures: PageCapturer.Configuration {
        var configuration = PageCapturer.Configuration()
        configuration.addressPolicy.rules = ["127.0.0.0/8", "::1"].compactMap { try? AllowRule($0) }
        configuration.clock = PatientClock()
        return configuration
    }
}

/// A clock that shows the real time, and on which long sleeps last twenty times as long.
///
/// A busy machine must not reach the deadlines of captures and of commands to the browser. Short sleeps, such as the rest
/// period that makes a page ready, take their usual time.
struct PatientClock: Clock {
    typealias Instant = ContinuousClock.Instant

    /// The longest sleep that takes its usual time.
    var threshold = Swift.Duration.seconds(1)

    var now: Instant { ContinuousClock.now }

    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let rest = now.duration(to: deadline)
        let extra = rest > threshold ? rest * 19 : .zero
        try await ContinuousClock().sleep(until: deadline + extra, tolerance: tolerance)
    }
}
