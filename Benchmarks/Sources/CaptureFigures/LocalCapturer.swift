import Capture
import Egress

extension PageCapturer.Configuration {
    /// Captures of the pages that are measured, which this machine serves itself.
    static var forThisMachine: PageCapturer.Configuration {
        var configuration = PageCapturer.Configuration()
        configuration.addressPolicy.rules = ["127.0.0.0/8", "::1"].compactMap { try? AllowRule($0) }
        return configuration
    }
}
