public import Foundation
public import HealthSamples

/// One drink with caffeine.
public struct Drink: Identifiable, Hashable, Sendable, Codable {
    /// The drink's identifier.
    public let id: UUID
    /// The amount of caffeine, in milligrams.
    public let milligrams: Double
    /// The time of the drink.
    public let date: Date

    /// Creates a drink.
    ///
    /// - Parameters:
    ///   - id: The drink's identifier.
    ///   - milligrams: The amount of caffeine, in milligrams.
    ///   - date: The time of the drink.
    public init(id: UUID = UUID(), milligrams: Double, date: Date) {
        self.id = id
        self.milligrams = milligrams
        self.date = date
    }
}

extension Drink {
    /// Creates a drink from a sample of another app; `nil` if the sample doesn't measure a mass.
    ///
    /// - Parameter sample: The sample.
    public init?(_ sample: Sample) {
        guard let amount = try? sample.quantity.converted(to: .milligram) else { return nil }
        self.init(id: sample.id, milligrams: amount.value, date: sample.start)
    }

    /// Returns the sample that records the drink.
    ///
    /// - Parameter source: The app that saves the sample.
    /// - Returns: The sample.
    public func sample(of source: SampleSource) -> Sample {
        Sample(
            type: .dietaryCaffeine, quantity: Quantity(milligrams, .milligram), start: date, source: source,
            sync: SyncIdentity(identifier: id.uuidString, version: 1))
    }
}

extension SampleQuery {
    /// Returns a query for the caffeine that other apps have recorded.
    ///
    /// - Parameter source: The app whose samples are excluded.
    /// - Returns: The query.
    public static func caffeine(except source: SampleSource) -> SampleQuery {
        SampleQuery(types: [.dietaryCaffeine], sources: .allBut([source.identifier]))
    }
}
