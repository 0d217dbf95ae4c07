#if os(Linux) && compiler(>=6.3)
    @_spi(Internal) import Runtime

    /// Source lines of addresses, from the program's debug information.
    enum SourceLines {
        #if arch(x86_64)
            private static let architecture = "x86_64"
        #else
            private static let architecture = "aarch64"
        #endif

        /// Returns the source line of each address that has one, such as "Bank.swift:12".
        static func lines(of addresses: Set<UInt>) -> [UInt: String] {
            let frames = addresses.map { RichFrame<UInt64>.programCounter(UInt64($0)) }
            let backtrace = Backtrace(architecture: architecture, frames: frames, images: ImageMap.capture())
            guard let symbolicated = backtrace.symbolicated(options: [.showSourceLocations]) else { return [:] }
            var lines: [UInt: String] = [:]
            for frame in symbolicated.frames {
                guard let address = UInt(frame.captured.originalProgramCounter),
                    let location = frame.symbol?.sourceLocation, location.line > 0
                else {
                    continue
                }
                lines[address] = "\(location.path.split(separator: "/").last ?? ""):\(location.line)"
            }
            return lines
        }
    }
#endif
