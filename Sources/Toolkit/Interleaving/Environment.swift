import Futures

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the environment says about explorations.
enum Environment {
    /// The seed of explorations that have none of their own.
    static var seed: UInt64? { value("INTERLEAVING_SEED").flatMap { UInt64($0) } }

    /// The schedule that matching explorations run instead of exploring.
    static var replay: ReplayRequest? { value("INTERLEAVING_REPLAY").map(ReplayRequest.init) }

    /// The folder for timelines of failing schedules.
    static var timelines: String? { value("INTERLEAVING_TIMELINES").flatMap { $0.isEmpty ? nil : $0 } }

    /// How many files were saved under each name.
    private static let saved = Lock<[String: Int]>([:])

    /// Writes a timeline into the folder, which is created if needed; returns the path of the file.
    static func save(_ text: String, named name: String, into folder: String) -> String? {
        _ = unsafe mkdir(folder, 0o755)
        // Cases of a parameterised test can have the same failure.
        let number = saved.withLock { saved in
            saved[name, default: 0] += 1
            return saved[name, default: 0]
        }
        let path = (folder.hasSuffix("/") ? folder : folder + "/") + (number == 1 ? name : "\(number)-\(name)")
        guard let file = unsafe fopen(path, "w") else {
            warn("can't write \(path): \(unsafe String(cString: strerror(errno)))")
            return nil
        }
        defer { _ = unsafe fclose(file) }
        let bytes = Array(text.utf8)
        return unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count ? path : nil
    }

    private static func value(_ name: String) -> String? {
        unsafe getenv(name).map { String(cString: $0) }
    }

    static func warn(_ text: String) {
        let line = Array("Interleaving: \(text)\n".utf8)
        _ = unsafe write(STDERR_FILENO, line, line.count)
    }
}

/// Where an exploration is in the source.
struct ExplorationPlace: Sendable, Equatable, CustomStringConvertible {
    let fileID: String
    let line: Int
    /// The name of the test, for `swift test --filter`.
    var test: String?

    var description: String { "\(fileID):\(line)" }
}

/// A schedule to run, as `INTERLEAVING_REPLAY` names it: a replay code, then `,` and a seed, then `@` and a place.
///
/// Without a seed it is 1; without a place it is for every exploration.
struct ReplayRequest: Sendable, Equatable {
    let code: String
    let seed: UInt64
    let place: String?

    init(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let choices = parts[0].split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        self.code = String(choices[0])
        self.seed = choices.count > 1 ? UInt64(choices[1]) ?? 1 : 1
        self.place = parts.count > 1 ? String(parts[1]) : nil
    }

    init(code: String, seed: UInt64, place: ExplorationPlace?) {
        self.code = code
        self.seed = seed
        self.place = place?.description
    }

    /// The value of the variable.
    var text: String {
        code + (seed == 1 ? "" : ",\(seed)") + (place.map { "@\($0)" } ?? "")
    }

    /// The command that runs only this schedule of its test.
    func command(filter: String?) -> String {
        let needsQuotes = text.contains { !$0.isASCII || " ()'\"$`\\&;<>|*?".contains($0) }
        let value = needsQuotes ? "'\(text)'" : text
        return "INTERLEAVING_REPLAY=\(value) swift test\(Self.filterOption(filter))"
    }

    /// The option that runs only a test, after a space; empty if the test has no name that can be an argument.
    static func filterOption(_ test: String?) -> String {
        guard let name = test?.prefix(while: { $0 != "(" }), !name.isEmpty,
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        else {
            return ""
        }
        return " --filter \(name)"
    }

    func matches(_ other: ExplorationPlace?) -> Bool {
        place == nil || place == other?.description
    }
}
