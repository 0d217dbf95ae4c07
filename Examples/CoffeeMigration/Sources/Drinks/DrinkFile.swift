public import Foundation

/// Where an app keeps its drinks; reading and writing take their time.
public protocol DrinkFile: Sendable {
    /// Reads what was written last.
    ///
    /// - Returns: The drinks; none if there is no file.
    /// - Throws: What the file system or the decoder says.
    func read() throws -> [Drink]

    /// Writes drinks in place of those before.
    ///
    /// - Parameter drinks: The drinks.
    /// - Throws: What the file system says.
    func write(_ drinks: [Drink]) throws
}

/// A binary property list.
public struct PropertyListFile: DrinkFile {
    private let url: URL

    /// Names the file; it need not exist.
    ///
    /// - Parameter url: Where it is.
    public init(_ url: URL) {
        self.url = url
    }

    /// Reads the drinks; what cannot be read is set aside, as `….unreadable`.
    ///
    /// - Returns: The drinks; none if there is no file.
    /// - Throws: What the file system or the decoder says.
    public func read() throws -> [Drink] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        let data = try Data(contentsOf: url)
        do {
            return try PropertyListDecoder().decode([Drink].self, from: data)
        } catch {
            // Whoever writes next must not overwrite what somebody may still be able to read.
            try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("unreadable"))
            throw error
        }
    }

    /// Writes the drinks: all of them, or the file stays as it was.
    ///
    /// - Parameter drinks: The drinks.
    /// - Throws: What the file system says.
    public func write(_ drinks: [Drink]) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try encoder.encode(drinks).write(to: url, options: .atomic)
    }
}
