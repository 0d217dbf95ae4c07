package import Foundation

/// Something that happened in the browser, its parameters not decoded yet.
package struct DevToolsEvent: Sendable {
    /// The event's name, such as `Page.lifecycleEvent`.
    package var method: String
    /// The session in which it happened; `nil` for the browser itself.
    package var sessionID: String?
    /// The event's parameters as JSON.
    package var parameters: Data

    /// Decodes the parameters.
    ///
    /// - Returns: `nil` if they are not what the type is made of: a browser of another version says less, or other things.
    package func decode<Parameters: Decodable>(_ type: Parameters.Type) -> Parameters? {
        try? JSONDecoder().decode(type, from: parameters)
    }
}
