import Foundation
public import HealthSamples

// A drink in the health store is a sample of dietary caffeine whose sync identifier is the drink's identifier.

extension SampleSource {
    /// Coffee Tracker's source.
    public static let coffeeTracker = SampleSource(identifier: "coffee-tracker", name: "Coffee Tracker")
}

/// The metadata names for values that a sample has no field for.
enum DrinkMetadata {
    static let name = "drinkName"
    static let emoji = "drinkEmoji"
    static let volume = "drinkVolume"
}

extension Drink {
    /// The defaults for a sample without a name or emoji.
    static let (unknownName, unknownEmoji) = ("Caffeine", "☕️")

    /// The sample of a version of the drink.
    func sample(version: Int, source: SampleSource) -> Sample {
        var metadata: [String: MetadataValue] = [
            DrinkMetadata.name: .text(name), DrinkMetadata.emoji: .text(emoji),
        ]
        if let millilitres { metadata[DrinkMetadata.volume] = .quantity(Quantity(millilitres, .millilitre)) }
        return Sample(
            id: Self.sampleID(of: id, version: version), type: .dietaryCaffeine,
            quantity: Quantity(milligrams, .milligram), start: start, end: end, timeZone: timeZone, source: source,
            metadata: metadata, sync: SyncIdentity(identifier: id.uuidString, version: version))
    }

    /// The identifier of a version's sample.
    ///
    /// It is deterministic, so that a retry saves no duplicate, and a single version can be deleted.
    static func sampleID(of id: UUID, version: Int) -> UUID {
        // The mixing steps of SplitMix64 (Steele, Lea, Flood 2014), so that the identifiers of versions look unrelated.
        var mixed = UInt64(truncatingIfNeeded: version) &* 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        mixed ^= mixed >> 31
        return withUnsafeBytes(of: id.uuid) { bytes in
            var (high, low) = (
                bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
            high = UInt64(bigEndian: high) ^ (mixed.byteSwapped)
            low = UInt64(bigEndian: low) ^ mixed
            // UUID version 8, for custom layouts (RFC 9562, 5.8).
            high = high & ~0xf000 | 0x8000
            low = low & ~(3 << 62) | (2 << 62)
            let words = (high.bigEndian, low.bigEndian)
            return withUnsafeBytes(of: words) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        }
    }

    /// Creates a drink from a sample of dietary caffeine; `nil` for any other sample.
    init?(_ sample: Sample, id: UUID, source: DrinkSource) {
        guard let quantity = try? sample.quantity.converted(to: .milligram), sample.type == .dietaryCaffeine else {
            return nil
        }
        var name: String?
        if case .text(let text) = sample.metadata[DrinkMetadata.name] { name = try? Self.checkedName(text) }
        var emoji: String?
        if case .text(let text) = sample.metadata[DrinkMetadata.emoji] { emoji = try? Self.checkedEmoji(text) }
        var millilitres: Double?
        if case .quantity(let volume) = sample.metadata[DrinkMetadata.volume] {
            millilitres = try? volume.converted(to: .millilitre).value
        }
        self.init(
            id: id, name: name ?? Self.unknownName, emoji: emoji ?? Self.unknownEmoji, milligrams: quantity.value,
            millilitres: millilitres, start: sample.start.wholeMilliseconds,
            sipping: max(0, sample.end.timeIntervalSince(sample.start).wholeMilliseconds),
            timeZone: sample.timeZone ?? "GMT", source: source)
        self = sanitized
    }

    /// Whether another drink is equal up to the rounding of a store.
    func isEqualAfterRounding(to other: Drink) -> Bool {
        id == other.id && name == other.name && emoji == other.emoji && timeZone == other.timeZone
            && source == other.source && milligrams.isNear(other.milligrams) && millilitres.isNear(other.millilitres)
            && abs(start.timeIntervalSince(other.start)) < 0.002 && abs(sipping - other.sipping) < 0.002
    }
}

extension Date {
    /// The date rounded to whole milliseconds, as it is stored.
    var wholeMilliseconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.wholeMilliseconds) }
}

extension TimeInterval {
    fileprivate func isNear(_ other: Double) -> Bool { abs(self - other) <= 1e-9 * Swift.max(abs(self), abs(other)) }
}

extension Double? {
    fileprivate func isNear(_ other: Double?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let value?, let other?): value.isNear(other)
        case (nil, _?), (_?, nil): false
        }
    }
}
