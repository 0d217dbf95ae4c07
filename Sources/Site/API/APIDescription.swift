import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The description of the API's routes by OpenAPI 3.1, put together from those of the apps.
///
/// Each app describes only what is its own. What all routes have in common is added here: the token and its scope, problems,
/// the parameters of lists, and the key of repeatable requests.
struct APIDescription: Sendable {
    /// A route, for people.
    struct Route: Sendable {
        let method: String
        let path: String
        let summary: String
        let scope: String
    }

    /// The document.
    let json: [UInt8]
    /// The routes, in the order of their paths.
    let routes: [Route]

    /// Why the description of an app can't be used.
    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: ``Invalid`` or a parser error, if an app's description is wrong.
    init(of apps: [SiteApp]) throws {
        var document = try Self.object(PackageResources.api_json, "api.json")
        var (paths, routes) = ([String: Any](), [Route]())
        var components = document["components"] as? [String: Any] ?? [:]
        var schemas = components["schemas"] as? [String: Any] ?? [:]
        for app in apps {
            guard let api = app.api else { continue }
            let part = try Self.object(api.description, "the description of \(api.name)")
            for (path, item) in part["paths"] as? [String: [String: Any]] ?? [:] {
                var item = item
                for method in Self.methods {
                    guard var operation = item[method] as? [String: Any] else { continue }
                    let scope = "\(api.name):\(method == "get" ? "read" : "write")"
                    Self.complete(&operation, method, scope, app.name)
                    item[method] = operation
                    routes.append(
                        Route(
                            method: method.uppercased(), path: api.path + path,
                            summary: operation["summary"] as? String ?? "", scope: scope))
                }
                paths[api.path + path] = item
            }
            for (name, schema) in part["schemas"] as? [String: Any] ?? [:] {
                guard schemas.updateValue(schema, forKey: name) == nil else {
                    throw Invalid(description: "Two apps describe the schema \(name).")
                }
            }
        }
        components["schemas"] = schemas
        document["components"] = components
        document["paths"] = paths
        json = Array(
            try JSONSerialization.data(withJSONObject: document, options: [.sortedKeys, .withoutEscapingSlashes]))
        self.routes = routes.sorted { ($0.path, $0.method) < ($1.path, $1.method) }
    }

    private static let methods = ["get", "put", "post", "patch", "delete"]

    private static func object(_ bytes: [UInt8], _ name: String) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
            throw Invalid(description: "\(name) isn't an object.")
        }
        return object
    }

    private static func complete(
        _ operation: inout [String: Any], _ method: String, _ scope: String, _ app: String
    ) {
        operation["tags"] = [app]
        operation["security"] = [["token": [scope]]]
        var responses = operation["responses"] as? [String: Any] ?? [:]
        responses["default"] = ["$ref": "#/components/responses/Problem"]
        operation["responses"] = responses
        if method == "post", operation.removeValue(forKey: "x-unrepeatable") == nil {
            let key = ["$ref": "#/components/parameters/IdempotencyKey"]
            operation["parameters"] = (operation["parameters"] as? [Any] ?? []) + [key]
        }
    }
}

/// The page about the API for people, and its description for programs.
struct APIPages: Sendable {
    private let description: APIDescription
    private let layout: Layout
    private let templates: Templates

    init(_ description: APIDescription, layout: Layout) throws {
        (self.description, self.layout) = (description, layout)
        templates = try Self.parsed.get()
    }

    private static let parsed = Result {
        try Templates(["api": PackageResources.api_mustache], words: SiteWords.apiTemplates)
    }

    func addRoutes(to router: SiteRouter) {
        let json = ByteBuffer(bytes: description.json)
        let tag = EntityTag(of: description.json)
        router.get(RouterPath(APIPath.description)) { request, _ in
            tag.response(
                to: request, headers: [.contentType: "application/json", .cacheControl: "no-cache"], body: json)
        }
        router.get(RouterPath(APIPath.page)) { _, _ in
            layout.page(
                title: SiteWords.api, heading: SiteWords.api,
                content: templates.render("api", View(routes: description.routes)))
        }
    }

    private struct View: Sendable {
        let routes: [APIDescription.Route]
        let description = Link(APIPath.description)
        let tokens = Link(APITokenPages.path)
    }
}
