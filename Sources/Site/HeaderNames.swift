import HTTPTypes

extension HTTPField.Name {
    static let hostField = Self.known("Host")
    static let secFetchSite = Self.known("Sec-Fetch-Site")
    static let secFetchMode = Self.known("Sec-Fetch-Mode")
    static let clearSiteData = Self.known("Clear-Site-Data")
    static let forwarded = Self.known("Forwarded")
    static let xForwardedFor = Self.known("X-Forwarded-For")
    static let xRequestID = Self.known("X-Request-ID")
    static let xRequestedWith = Self.known("X-Requested-With")
    static let referrerPolicy = Self.known("Referrer-Policy")
    static let permissionsPolicy = Self.known("Permissions-Policy")
    static let crossOriginOpenerPolicy = Self.known("Cross-Origin-Opener-Policy")
    static let xRobotsTag = Self.known("X-Robots-Tag")
    static let xAccelBuffering = Self.known("X-Accel-Buffering")

    static func known(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is not the name of a header") }
        return name
    }
}
