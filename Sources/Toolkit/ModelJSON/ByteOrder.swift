/// Compares two texts by their bytes in UTF-8: below 0 if the first one comes first, 0 if they are the same.
///
/// In a WebAssembly module, the standard library's comparison of sequences would be four times as large.
@inline(never)
package func compareBytes(_ first: String, _ second: String) -> Int {
    var (first, second) = (first, second)
    return first.withUTF8 { left in
        second.withUTF8 { right in
            for index in 0..<min(left.count, right.count) where left[index] != right[index] {
                return left[index] < right[index] ? -1 : 1
            }
            return left.count - right.count
        }
    }
}
