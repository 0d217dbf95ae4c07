import Egress

@testable import Capture

extension PageCapturer.Configuration {
    /// The one that captures of our own site need: it is on this machine, which no page reaches otherwise.
    static var forFixtures: PageCapturer.Configuration {
        var configuration = PageCapturer.Configuration()
        configuration.addressPolicy.rules = ["127.0.0.0/8", "::1"].compactMap { try? AllowRule($0) }
        return configuration
    }
}
