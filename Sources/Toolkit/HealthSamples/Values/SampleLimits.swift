public import Foundation
import Futures

/// The limits that a store enforces on samples.
public struct SampleLimits: Hashable, Sendable {
    /// How far in the future a sample may start, in seconds, because clocks differ; it may end later.
    public var futureTolerance: TimeInterval = 600
    /// The longest duration of a sample, in seconds: four days, as HealthKit's types say (`maximumAllowedDuration`).
    public var longest: TimeInterval = 345_600
    /// The maximum number of metadata entries.
    public var metadataEntries = 64
    /// The maximum size of the metadata's names and texts, in bytes.
    public var metadataBytes = 8_192

    /// Creates the default limits.
    public init() {}

    /// Samples before 1800 are rejected as mistakes.
    static let earliest = Date(timeIntervalSince1970: -5_364_662_400)
    /// The maximum length, in bytes, of source identifiers and names, sync identifiers and metadata names.
    static let maximumNameLength = 128
    /// The greatest version of a ``SyncIdentity``.
    ///
    /// JSON numbers represent whole numbers exactly up to this one (RFC 8259, section 6). Adding 1 to a saved version
    /// never overflows.
    static let greatestVersion = 1 << 53
}

extension SampleLimits {
    /// Throws `invalidSample` for samples of another source and for invalid samples.
    func check(_ samples: [Sample], by source: SampleSource, now: Date) throws(SampleStoreError) {
        try Self.check(source)
        for sample in samples {
            guard sample.source.identifier == source.identifier else {
                throw .invalidSample(
                    "\(source.name) can't save a sample of \(sample.source.name): a source can save only its own samples."
                )
            }
            try check(sample, now: now)
        }
    }

    /// Validates a sample, and throws ``SampleStoreError`` with the code `invalidSample` if it is invalid.
    public func check(_ sample: Sample, now: Date) throws(SampleStoreError) {
        do throws(QuantityError) {
            try sample.type.check(sample.quantity)
        } catch {
            throw SampleStoreError(.invalidSample, error.message, underlying: error)
        }
        try checkTimes(of: sample, now: now)
        if let sync = sample.sync {
            try Self.check(name: sync.identifier, "sync identifier")
            guard (0...Self.greatestVersion).contains(sync.version) else {
                throw .invalidSample(
                    "“\(sync.identifier)” can't have the version \(sync.version). Use a version from 0 up to "
                        + "\(Self.greatestVersion).")
            }
        }
        try Self.check(sample.source)
        try checkMetadata(of: sample)
    }

    private func checkTimes(of sample: Sample, now: Date) throws(SampleStoreError) {
        let (start, end) = (sample.start, sample.end)
        guard start.timeIntervalSinceReferenceDate.isFinite, end.timeIntervalSinceReferenceDate.isFinite,
            start >= Self.earliest
        else {
            throw .invalidSample("A sample of \(sample.type) has no valid time. Give it a date.")
        }
        guard end >= start else {
            throw .invalidSample("A sample of \(sample.type) ends (\(end)) before it begins (\(start)). Swap them.")
        }
        // The end may be later, because a measurement that has begun may still be running.
        guard start <= now.addingTimeInterval(futureTolerance) else {
            throw .invalidSample(
                "A sample of \(sample.type) is in the future (\(start); it is now \(now)). Check the date and the clock. "
                    + "At most \(Int(futureTolerance)) s ahead are allowed.")
        }
        guard end.timeIntervalSince(start) <= longest else {
            throw .invalidSample(
                "A sample of \(sample.type) lasts from \(start) to \(end). At most \(Int(longest)) s are allowed.")
        }
        if let zone = sample.timeZone, !KnownZones.shared.contains(zone) {
            throw .invalidSample(
                "“\(zone.prefix(64))” isn't a time zone. Use one such as Europe/Berlin, or leave it out.")
        }
    }

    private func checkMetadata(of sample: Sample) throws(SampleStoreError) {
        if sample.metadata.isEmpty { return }
        var bytes = 0
        for (key, value) in sample.metadata {
            try Self.check(name: key, "name in the metadata")
            let isFinite: Bool
            bytes += key.utf8.count
            switch value {
            case .text(let text):
                isFinite = true
                bytes += text.utf8.count
            case .number(let number): isFinite = number.isFinite
            case .flag: isFinite = true
            case .date(let date): isFinite = date.timeIntervalSinceReferenceDate.isFinite
            case .quantity(let quantity): isFinite = quantity.value.isFinite
            }
            guard isFinite else {
                throw .invalidSample("“\(key)” in the metadata of a sample of \(sample.type) isn't a finite number.")
            }
        }
        guard sample.metadata.count <= metadataEntries, bytes <= metadataBytes else {
            throw .invalidSample(
                "The metadata of a sample of \(sample.type) has \(sample.metadata.count) entries with \(bytes) bytes. At "
                    + "most \(metadataEntries) entries with \(metadataBytes) bytes are allowed.")
        }
    }

    /// Throws if the source's identifier or name is invalid.
    static func check(_ source: SampleSource) throws(SampleStoreError) {
        try check(name: source.identifier, "identifier of a source")
        try check(name: source.name, "name of a source")
    }

    // Swift treats canonically equivalent Unicode strings as equal, and a database doesn't: two sources whose identifiers differ
    // only in normalization would see each other's samples. So only normalization form C is valid.
    static func check(
        name: String, _ what: String, code: SampleStoreError.Code = .invalidSample
    ) throws(SampleStoreError) {
        let hasControl = name.utf8.contains { $0 < 0x20 || $0 == 0x7f }
        guard (1...maximumNameLength).contains(name.utf8.count), !hasControl else {
            throw SampleStoreError(
                code,
                "“\(name.prefix(maximumNameLength))” can't be the \(what). Use 1 to \(maximumNameLength) bytes without "
                    + "control characters.")
        }
        guard name.isComposed else {
            throw SampleStoreError(
                code,
                "“\(name)” can't be the \(what): its characters aren't in composed form. Normalize it to NFC, so that é is "
                    + "one character instead of e and an accent.")
        }
    }
}

extension String {
    /// Whether the bytes are in Unicode normalization form C; `==` treats other forms as equal.
    fileprivate var isComposed: Bool {
        // A fast path: ASCII is always composed, and most names are ASCII.
        utf8.allSatisfy { $0 < 0x80 } || utf8.elementsEqual(precomposedStringWithCanonicalMapping.utf8)
    }
}

/// Caches the valid time zone identifiers, because each lookup reads a file.
final class KnownZones: Sendable {
    static let shared = KnownZones()
    private let identifiers = Lock<Set<String>>([])

    func contains(_ identifier: String) -> Bool {
        if identifiers.withLock({ $0.contains(identifier) }) { return true }
        // `TimeZone` ignores a null character in an identifier, and everything after it.
        guard !identifier.utf8.contains(0), TimeZone(identifier: identifier) != nil else { return false }
        identifiers.withLock { _ = $0.insert(identifier) }
        return true
    }
}
