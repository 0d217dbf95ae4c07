#if canImport(ModelJSON)
    import ModelJSON
#endif

/// The exact level at any time from ``beginning`` on, if the owner drinks nothing but the known drinks.
///
/// Between two consecutive moments at which a drink begins or ends, the level has at most one maximum or minimum.
package struct LevelForecast: Sendable {
    /// The part of a drink that is drunk after ``beginning``; its times are in hours since then.
    private struct Portion {
        var start: Double
        var length: Double
        var milligrams: Double

        var end: Double { start + length }
        var rate: Double { length > 0 ? milligrams / length : 0 }
    }

    /// The model of the level.
    package let level: CaffeineLevel
    /// When the forecast begins, in seconds since 1970.
    package let beginning: Double
    private let state: Compartments
    private var portions: [Portion] = []

    /// - Complexity: O(*n*) in the number of drinks. The cost of later calls doesn't depend on the finished ones.
    package init(_ level: CaffeineLevel, of intakes: some Sequence<DrinkIntake>, from beginning: Double) {
        self.level = level
        self.beginning = beginning
        var state = Compartments()
        for drink in intakes {
            let start = (drink.start - beginning) / 3600
            let length = drink.sipping / 3600
            let known = level.compartments(of: drink, at: beginning)
            state.gut += known.gut
            state.body += known.body
            if start > 0 {
                portions.append(Portion(start: start, length: length, milligrams: drink.milligrams))
            } else if start + length > 0 {
                let left = (start + length) / length
                portions.append(Portion(start: 0, length: start + length, milligrams: drink.milligrams * left))
            }
        }
        self.state = state
    }

    /// A forecast with one more drink, which isn't earlier than ``beginning``.
    package func adding(_ drink: DrinkIntake) -> LevelForecast {
        var forecast = self
        forecast.portions.append(
            Portion(start: max(0, hours(drink.start)), length: drink.sipping / 3600, milligrams: drink.milligrams))
        return forecast
    }

    private func hours(_ time: Double) -> Double { (time - beginning) / 3600 }
    private func time(_ hours: Double) -> Double { beginning + hours * 3600 }
}

extension LevelForecast {
    /// The level at a time, in milligrams.
    package func milligrams(at time: Double) -> Double {
        let hours = max(0, hours(time))
        var piece = Piece(start: 0, end: 0, state: state, rate: 0)
        for next in pieces {
            guard next.start <= hours else { break }
            piece = next
        }
        return level.advance(piece.state, by: hours - piece.start, drinking: piece.rate).body
    }

    /// The highest level from a time on, in milligrams.
    package func peak(from time: Double) -> Double {
        maximum(from: hours(time), to: .infinity).milligrams
    }

    /// The highest level between two times, and when it is first reached.
    package func peak(from start: Double, to end: Double) -> (time: Double, milligrams: Double) {
        let highest = maximum(from: hours(start), to: hours(end))
        return (time(highest.hours), highest.milligrams)
    }

    private func maximum(from start: Double, to end: Double) -> (hours: Double, milligrams: Double) {
        let start = max(0, start)
        var highest = (hours: start, milligrams: 0.0)
        for piece in pieces where piece.end > start && piece.start <= end {
            var times = [max(start, piece.start)]
            times += turningPoints(of: piece).filter { $0 >= start && $0 <= end }
            // If the range goes beyond the piece, the next piece starts with the level at the piece's end.
            if end < piece.end { times.append(max(start, end)) }
            for time in times {
                let milligrams = level(in: piece, at: time)
                if milligrams > highest.milligrams { highest = (time, milligrams) }
            }
        }
        return highest
    }

    /// The time at which the level falls below a threshold for good; ``beginning`` if it never reaches the threshold.
    package func timeBelow(_ threshold: Double) -> Double {
        for piece in pieces.reversed() {
            var ends = [piece.start] + turningPoints(of: piece)
            ends.append(piece.end.isFinite ? piece.end : boundBelow(threshold, after: ends[ends.count - 1], in: piece))
            for (start, end) in zip(ends, ends.dropFirst()).reversed() {
                if level(in: piece, at: end) >= threshold { return time(end) }
                guard level(in: piece, at: start) >= threshold else { continue }
                return time(bisect(start, end) { level(in: piece, at: $0) >= threshold })
            }
        }
        return beginning
    }

    /// A time by which the level of the last piece is below the threshold, if the threshold is positive.
    private func boundBelow(_ threshold: Double, after start: Double, in piece: Piece) -> Double {
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

extension LevelForecast {
    /// An interval in which no drink begins or ends.
    private struct Piece {
        var start: Double
        var end: Double
        var state: Compartments
        var rate: Double
    }

    /// The hours at which a drink begins or ends, and 0: in order, and each once.
    private var boundaries: [Double] {
        let unsorted: [Double] = portions.flatMap { [$0.start, $0.end] } + [0]
        let sorted = sortedIndices(unsorted.count) { unsorted[$0] < unsorted[$1] }.map { unsorted[$0] }
        return sorted.indices.filter { $0 == 0 || sorted[$0] != sorted[$0 - 1] }.map { sorted[$0] }
    }

    private var pieces: [Piece] {
        let boundaries = boundaries
        var pieces: [Piece] = []
        var state = state
        for (index, start) in boundaries.enumerated() {
            let end = index + 1 < boundaries.count ? boundaries[index + 1] : .infinity
            for portion in portions where portion.length == 0 && portion.start == start {
                let arrived = level.arrival(of: portion.milligrams)
                state.gut += arrived.gut
                state.body += arrived.body
            }
            let rate = portions.reduce(0) { $1.start <= start && $1.end > start ? $0 + $1.rate : $0 }
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
        let time = piece.start + Elementary.log(ratio) / (absorption - elimination)
        return time > piece.start && time < piece.end ? [time] : []
    }
}
