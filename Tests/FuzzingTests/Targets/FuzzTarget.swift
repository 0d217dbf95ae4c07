import Foundation

/// A parser of bytes from outside, and what must hold of its result whatever the bytes are.
///
/// `script/fuzz` runs each under libFuzzer; `CorpusReplayTests` run each on the files of its corpus.
struct FuzzTarget: Sendable {
    /// Its name, which is also that of its corpus's folder.
    let name: String
    /// The most bytes of an input that libFuzzer makes.
    let maximumLength: Int
    /// Texts that the parser compares with, for libFuzzer to put into its inputs.
    let dictionary: [String]
    /// Parses the bytes.
    ///
    /// Throws ``BrokenInvariant``, or traps; what the parser itself throws is caught.
    let run: @Sendable (Data) throws -> Void

    init(
        _ name: String, maximumLength: Int = 4_096, dictionary: [String] = [],
        run: @escaping @Sendable (Data) throws -> Void
    ) {
        self.name = name
        self.maximumLength = maximumLength
        self.dictionary = dictionary
        self.run = run
    }

    /// Every target, in the order in which `script/fuzz` runs them: the most exposed parsers first.
    static let all: [FuzzTarget] = [
        .webArchive, .viewerCopy, .svgScreening, .artImports, .httpHeaders, .httpRanges, .multipart, .imageHeaders,
        .artOperations, .forms, .droppedAddresses, .devTools, .proxyRequests, .envelopes, .markup,
    ]
}

/// Something that should hold for any input, and did not.
struct BrokenInvariant: Error, CustomStringConvertible {
    let description: String
}

/// Throws ``BrokenInvariant`` unless a condition holds.
func require(_ condition: Bool, _ invariant: @autoclosure () -> String) throws(BrokenInvariant) {
    if !condition { throw BrokenInvariant(description: invariant()) }
}

/// Takes numbers and texts from an input, so that every input means something.
///
/// Past its end, it gives zeros.
struct InputReader {
    private var rest: Data

    init(_ data: Data) {
        rest = data
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number from 0 up to a limit, which is not reached.
    mutating func number(below limit: Int) -> Int { Int(byte()) % max(limit, 1) }

    /// As many bytes as a byte says.
    mutating func bytes() -> Data {
        let taken = rest.prefix(number(below: 256))
        rest = rest.dropFirst(taken.count)
        return Data(taken)
    }

    /// Everything up to the next line feed, or all that is left.
    mutating func line() -> String {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        return String(decoding: line, as: UTF8.self)
    }

    /// All lines that are left.
    mutating func lines() -> [String] {
        var lines: [String] = []
        while !isAtEnd { lines.append(line()) }
        return lines
    }

    /// All that is left.
    mutating func remainder() -> Data {
        defer { rest = Data() }
        return Data(rest)
    }
}
