import Capture
package import Foundation

// The cookies of a browser context.

extension BrowserTab {
    /// Replaces all cookies by those of a site, such as the cookie of a session.
    package func setCookies(_ cookies: [String: String], of site: URL) async throws {
        _ = try await connection.ask(Cookies.ClearAll(), session: session)
        for (name, value) in cookies {
            let reply = try await connection.ask(
                Cookies.Set(name: name, value: value, url: site.absoluteString), session: session)
            if !reply.success { throw DriverError("The browser refuses the cookie \(name).") }
        }
    }
}

// MARK: - DevTools commands

private enum Cookies {
    struct ClearAll: DevToolsCommand {
        static let method = "Network.clearBrowserCookies"
    }

    struct Set: DevToolsCommand {
        static let method = "Network.setCookie"
        struct Reply: Decodable, Sendable {
            var success: Bool
        }
        var name: String
        var value: String
        var url: String
    }
}
