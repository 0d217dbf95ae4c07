import Foundation

/// The results of repeated measurements.
package struct Series: Sendable {
    private var sorted: [Double] = []

    package init() {}

    package mutating func add(_ value: Double) {
        sorted.insert(value, at: sorted.firstIndex { $0 > value } ?? sorted.endIndex)
    }

    package var minimum: Double { sorted.first ?? .nan }

    package var maximum: Double { sorted.last ?? .nan }

    /// The middle value, or the mean of the two in the middle.
    package var median: Double {
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

extension Duration {
    /// The duration in milliseconds.
    package var milliseconds: Double { self / .milliseconds(1) }
}

extension Double {
    /// The number as text, with this many digits after the decimal point.
    package func digits(_ count: Int) -> String {
        formatted(.number.precision(.fractionLength(count)).locale(Locale(identifier: "en")))
    }
}
