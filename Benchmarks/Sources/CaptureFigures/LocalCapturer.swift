import Capture
import Egress

extension PageCapturer.Configuration {
    /// A configuration that allows captures of pages on loopback.
    static var forThisMachine: PageCapturer.Configuration {
        var configuration = PageCapturer.Configuration()
        configuration.addressPolicy.rules = ["127.0.0.0/8", "::1"].compactMap { try? AllowRule($0) }
        return configuration
    }
}
