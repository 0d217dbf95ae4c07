import Foundation

/// Makes a long input by repeating a part of a short one, because quadratic time shows only in long inputs.
enum LongInput {
    /// The approximate length of a long input, in bytes.
    static let length = 1 << 18
    /// The time that a parser may take for a long input, in seconds of processor time.
    ///
    /// A linear parser takes a hundredth of it.
    private static let budget = 2.0

    /// Repeats the part of an input that its first two bytes select, up to a length in bytes.
    static func repeating(from data: Data, length: Int) -> Data {
        let body = Data(data.dropFirst(2))
        guard data.count > 3, let first = data.first, let second = data.dropFirst().first else { return data }
        let (one, other) = (Int(first) * body.count / 256, Int(second) * body.count / 256)
        let (start, end) = (min(one, other), max(one, other) + 1)
        let unit = body[start..<end]
        var long = Data(body[..<start])
        while long.count + unit.count <= length - body.count { long.append(unit) }
        long.append(body[end...])
        return long
    }

    /// Runs a target on a long input; if that takes long, measures half of the input too.
    static func run(_ target: FuzzTarget, on data: Data) throws {
        let whole = try seconds(target, repeating(from: data, length: length))
        guard whole > budget else { return }
        let half = try seconds(target, repeating(from: data, length: length / 2))
        throw BrokenInvariant(
            description: "An input of \(length) bytes takes \(whole) s, and half of it takes \(half) s.")
    }

    private static func seconds(_ target: FuzzTarget, _ data: Data) throws -> Double {
        let start = processorTime()
        try target.run(data)
        return processorTime() - start
    }

    private static func processorTime() -> Double {
        Double(clock()) / Double(CLOCKS_PER_SEC)
    }
}
