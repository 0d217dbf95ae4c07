import Foundation

/// What came of doing one thing several times.
struct Series: Sendable {
    private var sorted: [Double] = []

    mutating func add(_ value: Double) {
        sorted.insert(value, at: sorted.firstIndex { $0 > value } ?? sorted.endIndex)
    }

    var least: Double { sorted.first ?? .nan }

    var most: Double { sorted.last ?? .nan }

    /// The middle value, or the mean of the two in the middle.
    var median: Double {
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

extension Duration {
    /// In milliseconds.
    var milliseconds: Double { self / .milliseconds(1) }
}

extension Double {
    /// As a decimal number with so many digits after the point.
    func digits(_ count: Int) -> String {
        formatted(.number.precision(.fractionLength(count)).locale(Locale(identifier: "en")))
    }
}
