import Foundation

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs a target under libFuzzer: `Fuzzer --target=NAME [--long] ARGUMENTS…`.
///
/// `Fuzzer --list` prints the targets' names. libFuzzer gets all arguments, ignores those that begin with `--`, and
/// passes all on if it starts this program again, as for `-merge=1`. With `--long`, a part of each input is repeated,
/// and the target must not take long: see ``LongInput``.
@main enum Fuzzer {
    /// Static, because libFuzzer's callback is a C function without a context.
    private static let target = FuzzTarget.all.first { CommandLine.arguments.contains("--target=\($0.name)") }
    private static let isLong = CommandLine.arguments.contains("--long")

    static func main() {
        if CommandLine.arguments.contains("--list") {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        guard let target else {
            let message = "There is no such target. Pass --target=NAME; --list prints the names.\n"
            FileHandle.standardError.write(Data(message.utf8))
            exit(64)
        }
        var options = ["-max_len=\(target.maximumLength)"]
        if let dictionary = dictionary(of: target.dictionary) { options.append("-dict=\(dictionary)") }
        // Appended, because libFuzzer uses the last of several equal options. A program that libFuzzer starts also
        // receives the options of the program that started it.
        let all = CommandLine.arguments + options
        var pointers: [UnsafeMutablePointer<CChar>?] = all.map { strdup($0) } + [nil]
        var count = CInt(all.count)
        let status = pointers.withUnsafeMutableBufferPointer { buffer in
            guard var base = buffer.baseAddress else { return CInt(70) }
            return runDriver(&count, &base) { bytes, count in
                Fuzzer.run(Data(UnsafeRawBufferPointer(start: bytes, count: count)))
                return 0
            }
        }
        exit(status)
    }

    /// The path of a dictionary; `nil` for an empty one, which libFuzzer rejects, or if it can't be written.
    ///
    /// The file is unlinked at once and read through its descriptor, so none is left however the program ends.
    private static func dictionary(of words: [String]) -> String? {
        guard !words.isEmpty else { return nil }
        let path = FileManager.default.temporaryDirectory.appending(path: "meanwhile-fuzz-\(UUID())").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { return nil }
        unlink(path)
        let bytes = Data(text(of: words).utf8)
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        return count == bytes.count ? "/proc/self/fd/\(descriptor)" : nil
    }

    private static func run(_ data: Data) {
        guard let target else { return }
        do {
            if isLong {
                try LongInput.run(target, on: data)
            } else {
                try target.run(data)
            }
        } catch {
            fatalError("\(target.name): \(error)")
        }
    }

    /// A dictionary in libFuzzer's form.
    private static func text(of words: [String]) -> String {
        words.map { word in
            let bytes = word.utf8.map { byte in
                let digits = String(byte, radix: 16)
                return "\\x" + (digits.count == 1 ? "0" : "") + digits
            }
            return "\"\(bytes.joined())\"\n"
        }.joined()
    }
}
