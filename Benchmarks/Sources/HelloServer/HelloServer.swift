import Hummingbird

/// A minimal Hummingbird server, the baseline for the site's speed.
@main
struct HelloServer {
    static func main() async throws {
        let router = Router()
        router.get("/") { _, _ in "hello" }
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8081
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
        try await application.runService()
    }
}
