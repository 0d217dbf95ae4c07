public import Foundation

/// A file that stores an app's drinks; reads and writes block the caller.
public protocol DrinkFile: Sendable {
    /// Reads the drinks that were written last.
    ///
    /// - Returns: The drinks; none if there is no file.
    /// - Throws: The error of the file system or of the decoder.
    func read() throws -> [Drink]

    /// Replaces the stored drinks.
    ///
    /// - Parameter drinks: The drinks.
    /// - Throws: The error of the file system.
    func write(_ drinks: [Drink]) throws
}

/// A drink file in the format of a binary property list.
public struct PropertyListFile: DrinkFile {
    private let url: URL

    /// Creates a drink file; the file need not exist.
    ///
    /// - Parameter url: The location of the file.
    public init(_ url: URL) {
        self.url = url
    }

    /// Reads the drinks; renames a file that can't be decoded to `….unreadable`.
    ///
    /// - Returns: The drinks; none if there is no file.
    /// - Throws: The error of the file system or of the decoder.
    public func read() throws -> [Drink] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        let data = try Data(contentsOf: url)
        do {
            return try PropertyListDecoder().decode([Drink].self, from: data)
        } catch {
            // The next write must not overwrite a file that a person could still recover.
            try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("unreadable"))
            throw error
        }
    }

    /// Writes the drinks atomically.
    ///
    /// - Parameter drinks: The drinks.
    /// - Throws: The error of the encoder or of the file system.
    public func write(_ drinks: [Drink]) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try encoder.encode(drinks).write(to: url, options: .atomic)
    }
}
