/// The differences between two sequences of numbers that stand for lines, words or rows of pixels.
///
/// It splits the sequences at elements that occur once in each (patience diff), and compares the rest with the greedy
/// algorithm of Myers (https://doi.org/10.1007/BF01840446). Both stop at a limit, so that hostile sequences take neither
/// much time nor much memory: what isn't compared until then counts as replaced.
package struct SequenceDifference: Hashable, Sendable {
    /// A part of the old sequence, and what replaces it; one of them may be empty.
    package struct Change: Hashable, Sendable {
        package var old: Range<Int>
        package var new: Range<Int>
    }

    /// The changes, in order; all else is the same.
    package private(set) var changes: [Change] = []
    /// Whether the limit was reached, so that some changes contain equal elements.
    package private(set) var isCoarse = false

    /// The number of changes up to which the greedy algorithm compares a part; its memory is the square of that.
    private static let maximumDistance = 400
    /// The number of steps for each element.
    private static let stepsPerElement = 60

    /// Compares two sequences.
    ///
    /// - Parameters:
    ///   - old: The old sequence.
    ///   - new: The new sequence.
    package init(from old: [Int], to new: [Int]) {
        var search = Search(old: old, new: new, steps: Self.stepsPerElement * (old.count + new.count) + 10_000)
        search.run()
        changes = search.changes
        isCoarse = search.isCoarse
    }

    private struct Search {
        let old: [Int]
        let new: [Int]
        /// The steps that are left.
        var steps: Int
        var changes: [Change] = []
        var isCoarse = false

        mutating func run() {
            // The parts that are still to be compared, the last one first.
            var parts = [Change(old: old.indices, new: new.indices)]
            while var part = parts.popLast() {
                trim(&part)
                if part.old.isEmpty || part.new.isEmpty {
                    add(part)
                    continue
                }
                guard steps > 0 else {
                    isCoarse = true
                    add(part)
                    continue
                }
                steps -= part.old.count + part.new.count
                let anchors = anchors(of: part)
                guard !anchors.isEmpty else {
                    compareGreedily(part)
                    continue
                }
                // The first of them is compared next, so that the changes are found in order.
                var (oldEnd, newEnd) = (part.old.upperBound, part.new.upperBound)
                for anchor in anchors.reversed() {
                    parts.append(Change(old: anchor.old + 1..<oldEnd, new: anchor.new + 1..<newEnd))
                    (oldEnd, newEnd) = (anchor.old, anchor.new)
                }
                parts.append(Change(old: part.old.lowerBound..<oldEnd, new: part.new.lowerBound..<newEnd))
            }
        }

        /// Leaves out equal elements at both ends.
        private func trim(_ part: inout Change) {
            var (first, second) = (part.old.lowerBound, part.new.lowerBound)
            var (firstEnd, secondEnd) = (part.old.upperBound, part.new.upperBound)
            while first < firstEnd, second < secondEnd, old[first] == new[second] {
                (first, second) = (first + 1, second + 1)
            }
            while first < firstEnd, second < secondEnd, old[firstEnd - 1] == new[secondEnd - 1] {
                (firstEnd, secondEnd) = (firstEnd - 1, secondEnd - 1)
            }
            part = Change(old: first..<firstEnd, new: second..<secondEnd)
        }

        private mutating func add(_ change: Change) {
            if change.old.isEmpty && change.new.isEmpty { return }
            if let last = changes.last, last.old.upperBound == change.old.lowerBound,
                last.new.upperBound == change.new.lowerBound
            {
                changes[changes.count - 1].old = last.old.lowerBound..<change.old.upperBound
                changes[changes.count - 1].new = last.new.lowerBound..<change.new.upperBound
            } else {
                changes.append(change)
            }
        }

        /// The elements that occur once in each part, in an order that both parts have.
        private func anchors(of part: Change) -> [(old: Int, new: Int)] {
            var places: [Int: (old: Int, new: Int)] = [:]
            // −1 isn't there, −2 is there more than once.
            for index in part.old { places[old[index], default: (-1, -1)].old = places[old[index]] == nil ? index : -2 }
            for index in part.new {
                guard let place = places[new[index]] else { continue }
                places[new[index]]?.new = place.new == -1 ? index : -2
            }
            let pairs = part.old.compactMap { index -> (old: Int, new: Int)? in
                guard let place = places[old[index]], place.old >= 0, place.new >= 0 else { return nil }
                return place
            }
            return Self.longestRising(pairs)
        }

        /// The longest part of the pairs, which are ordered by their old places, whose new places rise, too.
        private static func longestRising(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
            // The last pair of the best row of each length, and the pair before each pair.
            var ends: [Int] = []
            var before = [Int](repeating: -1, count: pairs.count)
            for index in pairs.indices {
                var (low, high) = (0, ends.count)
                while low < high {
                    let middle = (low + high) / 2
                    if pairs[ends[middle]].new < pairs[index].new { low = middle + 1 } else { high = middle }
                }
                if low > 0 { before[index] = ends[low - 1] }
                if low == ends.count { ends.append(index) } else { ends[low] = index }
            }
            var row: [(old: Int, new: Int)] = []
            var next = ends.last ?? -1
            while next >= 0 {
                row.append(pairs[next])
                next = before[next]
            }
            return row.reversed()
        }

        /// Compares a part that has no anchors.
        private mutating func compareGreedily(_ part: Change) {
            let (a, b) = (part.old, part.new)
            let limit = min(SequenceDifference.maximumDistance, a.count + b.count)
            // The furthest old place on each diagonal after each number of changes.
            var furthest = [Int](repeating: 0, count: 2 * limit + 3)
            var history: [[Int]] = []
            let middle = limit + 1
            for distance in 0...limit {
                history.append(Array(furthest[middle - distance - 1...middle + distance + 1]))
                for diagonal in stride(from: -distance, through: distance, by: 2) {
                    let isDown =
                        diagonal == -distance
                        || diagonal != distance && furthest[middle + diagonal - 1] < furthest[middle + diagonal + 1]
                    var x = isDown ? furthest[middle + diagonal + 1] : furthest[middle + diagonal - 1] + 1
                    var y = x - diagonal
                    steps -= 1
                    while x < a.count, y < b.count, old[a.lowerBound + x] == new[b.lowerBound + y] {
                        (x, y) = (x + 1, y + 1)
                        steps -= 1
                    }
                    furthest[middle + diagonal] = x
                    if x >= a.count, y >= b.count {
                        addPath(of: part, history)
                        return
                    }
                }
                if steps <= 0 { break }
            }
            isCoarse = true
            add(part)
        }

        /// Adds the changes on the way that the greedy algorithm found.
        private mutating func addPath(of part: Change, _ history: [[Int]]) {
            var (x, y) = (part.old.count, part.new.count)
            var found: [Change] = []
            for distance in stride(from: history.count - 1, to: 0, by: -1) {
                let furthest = history[distance]
                let middle = distance + 1
                let diagonal = x - y
                let isDown =
                    diagonal == -distance
                    || diagonal != distance && furthest[middle + diagonal - 1] < furthest[middle + diagonal + 1]
                let previous = isDown ? diagonal + 1 : diagonal - 1
                let beforeX = furthest[middle + previous]
                let beforeY = beforeX - previous
                let (oldStart, newStart) = (part.old.lowerBound + beforeX, part.new.lowerBound + beforeY)
                found.append(
                    isDown
                        ? Change(old: oldStart..<oldStart, new: newStart..<newStart + 1)
                        : Change(old: oldStart..<oldStart + 1, new: newStart..<newStart))
                (x, y) = (beforeX, beforeY)
            }
            for change in found.reversed() { add(change) }
        }
    }
}
