import Egress
import VirtualTime

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
