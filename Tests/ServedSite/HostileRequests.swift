import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A route of a site, with the inputs that it reads from a request.
package struct RouteCase: Sendable {
    let route: String
    let captures: [String: String]
    let query: [String: String]
    let fields: [String: String]
    let json: String?

    /// Describes a route.
    ///
    /// - Parameters:
    ///   - route: The method and path, such as `POST /pages/{id}/stop`.
    ///   - captures: An existing value for each variable path component.
    ///   - query: The query items that the route reads, each with a valid value.
    ///   - fields: The form fields that the route reads, each with a valid value.
    ///   - json: A body in place of a form, in which each `§` stands for a value.
    package init(
        _ route: String, _ captures: [String: String] = [:], query: [String: String] = [:],
        fields: [String: String] = [:],
        json: String? = nil
    ) {
        (self.route, self.captures, self.query, self.fields, self.json) = (route, captures, query, fields, json)
    }
}

/// Sends hostile values to every route of a site.
package enum HostileRequests {
    /// Values that often break parsers of numbers, dates, times and names.
    package static let values = [
        "", " ", "0", "-0", "-1", "+5", "1", "NaN", "inf", "-Infinity", "1e308", "-1e308", "1e999",
        "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "1000000000000000000000000000000", "0x7fffffffffffffff", "٣",
        "1,5",
        "275760-09-13", "-001-01-01", "9999-12-31", "+970-+1-+1", "2026-02-30", "99:99", "-1:-1",
        "00000000-0000-0000-0000-000000000000", "\u{0}", "a\r\nb", "../../etc/passwd", "bytes=9223372036854775807-0",
        String(repeating: "9", count: 5_000), "a" + String(repeating: "[a]", count: 500), "\u{600}<b>",
    ]

    /// Sends each value to each route, in each place that the route reads.
    ///
    /// - Parameters:
    ///   - site: The site.
    ///   - cases: The routes of its apps. The routes of bundled files have no case.
    /// - Returns: The routes without a case, the cases without a route, and the requests that got a server error.
    /// - Throws: The error of a request, for example because the server has stopped.
    package static func failures(of site: ServedSite, _ cases: [RouteCase]) async throws -> [String] {
        let own = [RouteCase("POST /hints/dismiss", fields: ["app": "/"])].filter { site.routes.contains($0.route) }
        let cases = cases + own
        let known = Set(cases.map(\.route))
        let routes = Set(site.routes.filter { !$0.contains(" /files/") })
            .subtracting([
                "GET /", "GET /api", "GET /api/openapi.json", "GET /favicon.ico", "GET /healthz", "GET /readyz",
            ])
        var failures = routes.subtracting(known).map { "There is no case for \($0)." }
        failures += known.subtracting(routes).map { "There is no route \($0)." }
        let session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        for routeCase in cases {
            for value in values {
                for request in routeCase.requests(value, port: site.port) {
                    let (_, response) = try await session.data(for: request)
                    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                    if !(200..<500).contains(status) {
                        failures.append("\(routeCase.route) answers \(status) to “\(value.prefix(60))”")
                    }
                }
            }
        }
        guard let health = URL(string: "http://127.0.0.1:\(site.port)/healthz") else { return failures }
        let (data, _) = try await session.data(for: URLRequest(url: health))
        if data != Data("ok\n".utf8) { failures.append("The server is not healthy afterwards.") }
        return failures
    }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 600
        return configuration
    }
}

extension RouteCase {
    /// Requests with the value in each path variable, in all query items or one of them, and in all form fields or one
    /// of them.
    fileprivate func requests(_ value: String, port: Int) -> [URLRequest] {
        let queries = Self.variants(of: query, with: value)
        let all = queries.flatMap { query in bodies(value).map { (captures, query, $0) } }
        let single = captures.keys.sorted().map { name in
            (captures.merging([name: value]) { $1 }, query, fields.isEmpty ? nil : Self.form(fields))
        }
        return (all + single).compactMap { path, query, body in
            request(path, query: query, body: body, value, port: port)
        }
    }

    private func bodies(_ value: String) -> [Data?] {
        if let json {
            let quoted = (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            return [value, quoted].map { Data(json.replacing("§", with: $0).utf8) }
        }
        if fields.isEmpty { return [nil] }
        return Self.variants(of: fields, with: value).map { Self.form($0) }
    }

    /// The fields with the value in all of them, and in each alone.
    private static func variants(of fields: [String: String], with value: String) -> [[String: String]] {
        [fields.mapValues { _ in value }]
            + (fields.count > 1 ? fields.keys.sorted().map { fields.merging([$0: value]) { $1 } } : [])
    }

    private static func form(_ fields: [String: String]) -> Data { Data(text(fields).utf8) }

    private static func text(_ fields: [String: String]) -> String {
        fields.map { "\($0)=\(encoded($1))" }.joined(separator: "&")
    }

    private func request(
        _ captures: [String: String], query: [String: String], body: Data?, _ value: String, port: Int
    ) -> URLRequest? {
        let parts = route.split(separator: " ")
        var path = String(parts[1])
        for (name, text) in captures { path = path.replacing("{\(name)}", with: Self.encoded(text)) }
        if !query.isEmpty { path += "?" + Self.text(query) }
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { return nil }
        var request = URLRequest(url: url)
        // An event stream doesn't end by itself.
        request.httpMethod = parts[1].hasSuffix("/events") ? "HEAD" : String(parts[0])
        request.httpBody = body
        if body != nil {
            let type = json == nil ? "application/x-www-form-urlencoded" : "application/json"
            request.setValue(type, forHTTPHeaderField: "Content-Type")
        }
        request.setValue("http://127.0.0.1:\(port)", forHTTPHeaderField: "Origin")
        if value.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) {
            for name in ["If-None-Match", "Last-Event-ID", "Range"] {
                request.setValue(value, forHTTPHeaderField: name)
            }
            request.setValue("meanwhile-person=\(value)", forHTTPHeaderField: "Cookie")
            request.setValue("text/html;q=\(value), application/json;q=\(value)", forHTTPHeaderField: "Accept")
        }
        return request
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
