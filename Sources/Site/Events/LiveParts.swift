package import Formats
import Futures

/// The changing parts of a document's pages, as HTML; the key of each part is the name of its event.
///
/// They are rendered once for all readers with the same language and time zone, when the first of these readers needs
/// them. The cache is limited: with very many languages and zones, parts are rendered again.
public final class LiveParts: Sendable, ExpressibleByDictionaryLiteral {
    /// The maximum number of kinds of readers whose parts are stored.
    ///
    /// A client can send any of a million combinations of language and time zone.
    static let maximumCount = 16

    private let make: @Sendable () -> [String: String]
    private let cache = Lock<[ReaderFormats: [String: String]]>([:])

    /// Creates parts that contain dates, times or numbers.
    ///
    /// - Parameter make: Makes the parts, with the formats of the reader.
    public init(_ make: @escaping @Sendable () -> [String: String]) {
        self.make = make
    }

    /// Creates parts that are the same for every reader.
    public convenience init(_ parts: [String: String]) {
        self.init { parts }
    }

    /// Creates parts that are the same for every reader.
    public convenience init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(elements) { $1 })
    }
}

extension LiveParts {
    /// The parts for the reader whom the current task serves.
    package var current: [String: String] { parts(for: .current) }

    /// The parts for a reader.
    package func parts(for formats: ReaderFormats) -> [String: String] {
        if let parts = cache.withLock({ $0[formats] }) { return parts }
        let parts = ReaderFormats.local.withValue(formats) { make() }
        cache.withLock { cache in
            if cache.count >= Self.maximumCount { cache = [:] }
            cache[formats] = parts
        }
        return parts
    }

    /// The number of kinds of readers whose parts are stored, for tests.
    var count: Int { cache.withLock { $0.count } }
}
