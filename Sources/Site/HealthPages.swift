import HTTPTypes
import Hummingbird

/// What a program in front of the server asks it: whether it runs, and whether it should get requests.
///
/// | path | status |
/// |---|---|
/// | `/healthz` | 200 as long as the process answers requests |
/// | `/readyz` | 200, or 503 with the name of the part that can't work now |
struct HealthPages {
    static let paths: Set<String> = ["/healthz", "/readyz"]

    /// Returns the name of a part that can't work now; `nil` if all can.
    let obstacle: (@Sendable () async -> String?)?

    func addRoutes(to router: SiteRouter) {
        router.get("/healthz") { _, _ in Self.response(.ok, "ok") }
        router.get("/readyz") { _, _ in
            guard let name = await obstacle?() else { return Self.response(.ok, "ready") }
            return Self.response(.serviceUnavailable, "not ready: \(name)")
        }
    }

    private static func response(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "\(text)\n")))
    }
}
