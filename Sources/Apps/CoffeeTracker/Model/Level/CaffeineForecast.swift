import Foundation

/// The exact level at any time from ``beginning`` on, if the owner drinks nothing but the known drinks.
///
/// Between two moments at which a drink begins or ends, the level has at most one maximum.
struct CaffeineForecast {
    /// The part of a drink that is drunk after ``beginning``; its times are in hours since then.
    struct Intake {
        var start: Double
        var length: Double
        var milligrams: Double

        var end: Double { start + length }
        var rate: Double { length > 0 ? milligrams / length : 0 }
    }

    let level: CaffeineLevel
    let beginning: Date
    private let state: Compartments
    private var intakes: [Intake] = []

    /// - Complexity: O(*n*) in the number of drinks. The cost of later calls doesn't depend on the finished ones.
    init(_ level: CaffeineLevel, of drinks: some Sequence<Drink>, from beginning: Date) {
        self.level = level
        self.beginning = beginning
        var state = Compartments()
        for drink in drinks {
            let start = drink.start.timeIntervalSince(beginning) / 3600
            let length = drink.sipping / 3600
            let known = level.compartments(of: drink, at: beginning)
            state.gut += known.gut
            state.body += known.body
            if start > 0 {
                intakes.append(Intake(start: start, length: length, milligrams: drink.milligrams))
            } else if start + length > 0 {
                let left = (start + length) / length
                intakes.append(Intake(start: 0, length: start + length, milligrams: drink.milligrams * left))
            }
        }
        self.state = state
    }

    /// A forecast with one more drink.
    func adding(_ milligrams: Double, at date: Date, sipping: TimeInterval = 0) -> CaffeineForecast {
        var forecast = self
        forecast.intakes.append(
            Intake(start: max(0, hours(date)), length: sipping / 3600, milligrams: milligrams))
        return forecast
    }

    private func hours(_ date: Date) -> Double { date.timeIntervalSince(beginning) / 3600 }
    private func date(_ hours: Double) -> Date { beginning.addingTimeInterval(hours * 3600) }
}

extension CaffeineForecast {
    /// The level at a time.
    func milligrams(at date: Date) -> Double {
        let hours = max(0, hours(date))
        var piece = Piece(start: 0, end: 0, state: state, rate: 0)
        for next in pieces {
            guard next.start <= hours else { break }
            piece = next
        }
        return level.advance(piece.state, by: hours - piece.start, drinking: piece.rate).body
    }

    /// The highest level from a time on.
    func peak(from date: Date) -> Double {
        let from = max(0, hours(date))
        var highest = 0.0
        for piece in pieces where piece.end > from {
            for time in turningPoints(of: piece) where time >= from {
                highest = max(highest, level(in: piece, at: time))
            }
            highest = max(highest, level(in: piece, at: max(from, piece.start)))
        }
        return highest
    }

    /// The time at which the level falls below a threshold for good; ``beginning`` if it is already below.
    func isBelow(_ threshold: Double) -> Date {
        for piece in pieces.reversed() {
            var ends = [piece.start] + turningPoints(of: piece)
            ends.append(piece.end.isFinite ? piece.end : timeBelow(threshold, after: ends[ends.count - 1], in: piece))
            for (start, end) in zip(ends, ends.dropFirst()).reversed() {
                if level(in: piece, at: end) >= threshold { return date(end) }
                guard level(in: piece, at: start) >= threshold else { continue }
                return date(
                    bisect(start, end) { level(in: piece, at: $0) >= threshold })
            }
        }
        return beginning
    }

    /// A time by which the level of the last piece is certainly below a threshold.
    private func timeBelow(_ threshold: Double, after start: Double, in piece: Piece) -> Double {
        var length = level.halfLife
        // The loop is bounded, because a threshold of zero is never reached; no dose outlasts a million half-lives.
        for _ in 0..<20 where level(in: piece, at: start + length) >= threshold { length *= 2 }
        return start + length
    }

    private func level(in piece: Piece, at hours: Double) -> Double {
        level.advance(piece.state, by: hours - piece.start, drinking: piece.rate).body
    }
}

/// Finds, to within a thousandth of a second, where in a range of hours a condition ceases to hold.
///
/// - Returns: A time at which the condition doesn't hold.
func bisect(_ start: Double, _ end: Double, _ holds: (Double) -> Bool) -> Double {
    var (start, end) = (start, end)
    // A range of a day takes about thirty steps; the bound also ends the loop for an infinite range.
    for _ in 0..<200 where end - start > 1e-7 {
        let middle = (start + end) / 2
        if holds(middle) { start = middle } else { end = middle }
    }
    return end
}

extension CaffeineForecast {
    /// An interval in which no drink begins or ends.
    private struct Piece {
        var start: Double
        var end: Double
        var state: Compartments
        var rate: Double
    }

    private var pieces: [Piece] {
        let ends = Set(intakes.flatMap { [$0.start, $0.end] } + [0]).sorted()
        var pieces: [Piece] = []
        var state = state
        for (index, start) in ends.enumerated() {
            let end = index + 1 < ends.count ? ends[index + 1] : .infinity
            for intake in intakes where intake.length == 0 && intake.start == start {
                let arrived = level.arrival(of: intake.milligrams)
                state.gut += arrived.gut
                state.body += arrived.body
            }
            let rate = intakes.reduce(0) { $1.start <= start && $1.end > start ? $0 + $1.rate : $0 }
            pieces.append(Piece(start: start, end: end, state: state, rate: rate))
            if end.isFinite { state = level.advance(state, by: end - start, drinking: rate) }
        }
        return pieces
    }

    /// The times at which the level of a piece has a maximum or minimum; at most one.
    ///
    /// The level is `a + b·e^(−ke·t) + c·e^(−ka·t)`, with `c = ka·(gut − rate/ka)/(ke − ka)` and `a = rate/ke`.
    private func turningPoints(of piece: Piece) -> [Double] {
        guard var absorption = level.absorption else { return [] }
        let elimination = level.elimination
        // Avoids dividing zero by zero; the turning point hardly changes.
        if abs(absorption - elimination) < 1e-6 * elimination { absorption = elimination * (1 + 1e-6) }
        let fast = absorption * (piece.state.gut - piece.rate / absorption) / (elimination - absorption)
        let slow = piece.state.body - piece.rate / elimination - fast
        let ratio = -absorption * fast / (elimination * slow)
        guard ratio > 0, ratio.isFinite else { return [] }
        let time = piece.start + log(ratio) / (absorption - elimination)
        return time > piece.start && time < piece.end ? [time] : []
    }
}
