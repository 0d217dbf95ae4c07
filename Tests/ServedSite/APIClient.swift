package import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A script that uses the API of a site, in a test.
package struct APIClient: Sendable {
    private let port: Int
    /// What the path of each request begins with, such as `/api/v1/library/`.
    private let path: String

    /// Creates a script for an app's part of the API.
    package init(of site: ServedSite, app: String) {
        (port, path) = (site.port, "/api/v1/\(app)/")
    }

    /// A response.
    package struct Answer: Sendable {
        /// The status.
        package var status: Int
        /// The content type.
        package var type: String
        /// The body.
        package var body: Data

        /// The body as text.
        package var text: String { String(decoding: body, as: UTF8.self) }

        /// The property of a JSON object, whose path has points between its parts; a number is the index in an array.
        ///
        /// - Parameters:
        ///   - path: The path, such as `items.0.name`.
        ///   - type: The type of the value.
        /// - Returns: The value; `nil` if there is none, or it is of another type.
        package func value<Value>(_ path: String, as type: Value.Type = String.self) -> Value? {
            var value = try? JSONSerialization.jsonObject(with: body)
            for part in path.split(separator: ".") {
                if let index = Int(part) {
                    let items = value as? [Any] ?? []
                    value = items.indices.contains(index) ? items[index] : nil
                } else {
                    value = (value as? [String: Any])?[String(part)]
                }
            }
            return value as? Value
        }

        /// A property of each entry of a list.
        package func values<Value>(of name: String, as type: Value.Type = String.self) -> [Value] {
            (value("items", as: [[String: Any]].self) ?? []).compactMap { $0[name] as? Value }
        }
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The rest of the path, with the query.
    ///   - body: The body.
    ///   - type: The content type of the body.
    ///   - status: The expected status.
    /// - Returns: The response.
    /// - Throws: ``UnexpectedAnswer`` for another status, or an error if the server can't be reached.
    @discardableResult
    package func send(
        _ method: String, _ target: String, _ body: String? = nil, type: String = "application/json", status: Int = 200
    ) async throws -> Answer {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)\(target)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        // Without accounts, this header tells a script from a page of another site.
        request.setValue("tests", forHTTPHeaderField: "X-Requested-With")
        request.httpBody = body.map { Data($0.utf8) }
        if body != nil { request.setValue(type, forHTTPHeaderField: "Content-Type") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 600
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        let (data, response) = try await session.data(for: request)
        guard let answer = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let found = Answer(
            status: answer.statusCode, type: answer.value(forHTTPHeaderField: "Content-Type") ?? "", body: data)
        guard found.status == status else {
            throw UnexpectedAnswer(description: "\(method) \(target): \(found.status) \(found.text)")
        }
        return found
    }

    /// Reads.
    @discardableResult
    package func get(_ target: String, status: Int = 200) async throws -> Answer {
        try await send("GET", target, status: status)
    }
}

/// A response with another status than the test expects.
package struct UnexpectedAnswer: Error, CustomStringConvertible {
    /// The request, the status and the body.
    package let description: String
}
