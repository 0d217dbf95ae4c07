public import Foundation
public import HealthSamples

/// One drink with caffeine.
public struct Drink: Identifiable, Hashable, Sendable, Codable {
    /// Its own number.
    public let id: UUID
    /// How much caffeine, in milligrams.
    public let milligrams: Double
    /// When it was drunk.
    public let date: Date

    /// Creates a drink.
    ///
    /// - Parameters:
    ///   - id: Its own number.
    ///   - milligrams: How much caffeine, in milligrams.
    ///   - date: When it was drunk.
    public init(id: UUID = UUID(), milligrams: Double, date: Date) {
        self.id = id
        self.milligrams = milligrams
        self.date = date
    }
}

extension Drink {
    /// The drink that a sample of another app tells of; `nil` if it measures no mass.
    ///
    /// - Parameter sample: The sample.
    public init?(_ sample: Sample) {
        guard let amount = try? sample.quantity.converted(to: .milligram) else { return nil }
        self.init(id: sample.id, milligrams: amount.value, date: sample.start)
    }

    /// The sample that tells of the drink.
    ///
    /// - Parameter source: Who says so.
    /// - Returns: The sample.
    public func sample(of source: SampleSource) -> Sample {
        Sample(
            type: .dietaryCaffeine, quantity: Quantity(milligrams, .milligram), start: date, source: source,
            sync: SyncIdentity(identifier: id.uuidString, version: 1))
    }
}

extension SampleQuery {
    /// The caffeine that other apps have noted.
    ///
    /// - Parameter source: The app itself.
    /// - Returns: The query.
    public static func caffeine(except source: SampleSource) -> SampleQuery {
        SampleQuery(types: [.dietaryCaffeine], sources: .allBut([source.identifier]))
    }
}
