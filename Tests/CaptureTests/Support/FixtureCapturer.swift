import Egress

@testable import Capture

extension PageCapturer.Configuration {
    /// The configuration for captures of the fixture site, which is on this machine: by default, pages can't reach it.
    static var forFixtures: PageCapturer.Configuration {
        var configuration = PageCapturer.Configuration()
        configuration.addressPolicy.rules = ["127.0.0.0/8", "::1"].compactMap { try? AllowRule($0) }
        configuration.clock = ExtendingClock()
        return configuration
    }
}

/// A clock with real time, on which long sleeps take twenty times as long.
///
/// On a busy machine, captures and browser commands must not reach their deadlines. Short sleeps, such as the quiet
/// period after which a page is ready, take their usual time.
struct ExtendingClock: Clock {
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
