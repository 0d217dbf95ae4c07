#if canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Mistakes that leave somebody waiting for ever.
enum DroppedPromises {
    /// Says so on standard error; stops a debug build at the place.
    static func report(_ message: String, file: StaticString, line: UInt) {
        #if !DEBUG
            // One call, so that lines of several threads do not mix.
            let text = "\(file):\(line): error: \(message)\n"
            _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        #endif
        assertionFailure(message, file: file, line: line)
    }
}
