/// The indices of elements, sorted by a comparison of the elements; equal elements keep their order.
///
/// A WebAssembly module has this one function for all that it sorts: the standard library's would be compiled for each type
/// of elements.
///
/// - Complexity: O(*n* log *n*).
@inline(never)
package func sortedIndices(_ count: Int, by isBefore: (Int, Int) -> Bool) -> [Int] {
    var (sorted, merged) = (Array(0..<count), Array(0..<count))
    var length = 1
    while length < count {
        for start in stride(from: 0, to: count, by: 2 * length) {
            let (middle, end) = (min(start + length, count), min(start + 2 * length, count))
            var (left, right) = (start, middle)
            for place in start..<end {
                let takesRight = right < end && (left == middle || isBefore(sorted[right], sorted[left]))
                merged[place] = sorted[takesRight ? right : left]
                if takesRight { right += 1 } else { left += 1 }
            }
        }
        swap(&sorted, &merged)
        length *= 2
    }
    return sorted
}
