import Foundation

/// A parser of untrusted bytes, and the invariants of its result for any input.
///
/// `script/fuzz` runs each under libFuzzer; `CorpusReplayTests` run each on the files of its corpus.
struct FuzzTarget: Sendable {
    /// The name of the target and of its corpus's folder.
    let name: String
    /// The maximum length of libFuzzer's inputs, in bytes.
    let maximumLength: Int
    /// Texts that the parser compares with, for libFuzzer to insert into its inputs.
    let dictionary: [String]
    /// Parses the bytes.
    ///
    /// Throws ``BrokenInvariant`` or traps if an invariant is broken; the parser's own errors are caught.
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
        .webArchive, .viewerCopy, .svgScreening, .artImports, .addressFiles, .importedPages, .savedFiles,
        .requestBodies, .httpHeaders, .httpRanges, .multipart, .imageHeaders, .artOperations, .forms, .droppedAddresses,
        .devTools, .proxyRequests, .envelopes, .markup,
        .drinkChanges,
    ]
}

/// An invariant that an input has broken.
struct BrokenInvariant: Error, CustomStringConvertible {
    let description: String
}

/// Throws ``BrokenInvariant`` unless a condition holds.
func require(_ condition: Bool, _ invariant: @autoclosure () -> String) throws(BrokenInvariant) {
    if !condition { throw BrokenInvariant(description: invariant()) }
}

/// Reads numbers and texts from an input, so that every input is valid.
///
/// Past the end of the input, it returns zeros and empty texts.
struct InputReader {
    private var rest: Data

    init(_ data: Data) {
        rest = data
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number from 0 up to but not including a limit, and at most 255.
    mutating func number(below limit: Int) -> Int { Int(byte()) % max(limit, 1) }

    /// Reads a length byte, and returns that many of the bytes after it, or fewer at the end.
    mutating func bytes() -> Data {
        let taken = rest.prefix(number(below: 256))
        rest = rest.dropFirst(taken.count)
        return Data(taken)
    }

    /// The text up to the next line feed or the end.
    mutating func line() -> String {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        return String(decoding: line, as: UTF8.self)
    }

    /// All remaining lines.
    mutating func lines() -> [String] {
        var lines: [String] = []
        while !isAtEnd { lines.append(line()) }
        return lines
    }

    /// All remaining bytes.
    mutating func remainder() -> Data {
        defer { rest = Data() }
        return Data(rest)
    }
}
