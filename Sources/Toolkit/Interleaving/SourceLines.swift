#if os(Linux) && compiler(>=6.3)
    import Futures
    import Glibc
    @_spi(Internal) import Runtime

    /// Source lines of addresses, from the program's debug information.
    enum SourceLines {
        #if arch(x86_64)
            private static let architecture = "x86_64"
        #else
            private static let architecture = "aarch64"
        #endif

        /// The lines of all addresses that were looked up; `nil` for an address without one.
        ///
        /// Looking up an address takes up to seconds in a large program.
        private static let known = Lock<[UInt: Trace.SourceLine?]>([:])

        /// Returns the source line of each address that has one, with its text.
        ///
        /// Look up many addresses at once: each call reads the program's debug information again if one is new.
        static func lines(of addresses: Set<UInt>) -> [UInt: Trace.SourceLine] {
            var lines = known.withLock { known in known.filter { addresses.contains($0.key) } }
            let unknown = addresses.subtracting(lines.keys)
            if !unknown.isEmpty {
                let found = lookedUp(unknown)
                for address in unknown { lines[address] = .some(found[address]) }
                known.withLock { known in known.merge(lines) { $1 } }
            }
            return lines.compactMapValues(\.self)
        }

        private static func lookedUp(_ addresses: Set<UInt>) -> [UInt: Trace.SourceLine] {
            let frames = addresses.map { RichFrame<UInt64>.programCounter(UInt64($0)) }
            let backtrace = Backtrace(architecture: architecture, frames: frames, images: ImageMap.capture())
            guard let symbolicated = backtrace.symbolicated(options: [.showSourceLocations]) else { return [:] }
            var files: [String: [Substring]] = [:]
            var lines: [UInt: Trace.SourceLine] = [:]
            for frame in symbolicated.frames {
                guard let address = UInt(frame.captured.originalProgramCounter),
                    let location = frame.symbol?.sourceLocation, location.line > 0
                else {
                    continue
                }
                if files[location.path] == nil { files[location.path] = text(of: location.path) }
                let texts = files[location.path] ?? []
                let text = location.line <= texts.count ? trimmed(texts[location.line - 1]) : nil
                // The code of a macro's expansion can have the line of an attribute of its function.
                if text?.hasPrefix("@") == true { continue }
                lines[address] = Trace.SourceLine(path: location.path, number: location.line, text: text)
            }
            return lines
        }

        private static func trimmed(_ line: Substring) -> String {
            let start = line.drop { $0.isWhitespace }
            return String(start.reversed().drop { $0.isWhitespace }.reversed())
        }

        /// The lines of a file; none if it can't be read.
        private static func text(of path: String) -> [Substring] {
            guard let file = unsafe fopen(path, "r") else { return [] }
            defer { _ = unsafe fclose(file) }
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe fread(&buffer, 1, buffer.count, file)
                if count == 0 { break }
                bytes += buffer[..<count]
            }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        }
    }
#endif
