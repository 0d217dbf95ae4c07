import Futures

#if os(Linux)
    import CInterleaving
#endif

/// Readable names of functions.
enum Symbols {
    // Protects the symbol table, which is read on first use.
    private static let lock = Lock(())

    /// The beginnings of mangled names of functions that run a body: those of this module and of Swift Testing.
    private static let runners = ["$s12Interleaving", "$s7Testing"]

    /// Returns the readable name of the function that contains an address; `nil` for functions that run the body.
    static func function(at address: UnsafeMutableRawPointer) -> String? {
        #if os(Linux)
            guard let mangled = lock.withLock({ _ in interleaving_symbol(address).map { String(cString: $0) } }),
                !runners.contains(where: mangled.hasPrefix), let name = demangled(mangled)
            else {
                return nil
            }
            return readableName(name)
        #else
            return nil
        #endif
    }

    /// Strips modules, argument types and a partial function's number from a demangled name; `nil` for thunks and the like.
    static func readableName(_ name: String) -> String? {
        var name = Substring(name)
        if let start = name.firstRange(of: " for ") { name = name[start.upperBound...] }
        for noise in ["thunk", "reabstraction", "completeTask", "swift::", "dispatch thunk", "partial apply", "swift_"]
        where name.hasPrefix(noise) {
            return nil
        }
        let parts = withoutPrivacy(String(name)).split(separator: " in ").map { part -> String in
            var text = part[..<(part.firstIndex { $0 == "(" || $0 == "<" } ?? part.endIndex)]
            while text.last == " " { text.removeLast() }
            // To its author, an optimised variant is the same function.
            for word in ["specialized ", "merged ", "generic "] where text.hasPrefix(word) {
                text = text.dropFirst(word.count)
            }
            if text.hasPrefix("closure") { return text.split(separator: " ").prefix(2).joined(separator: " ") }
            if text.hasPrefix("implicit closure") { return text.split(separator: " ").prefix(3).joined(separator: " ") }
            return text.split(separator: ".").suffix(2).joined(separator: ".")
        }
        let readableName = parts.filter { !$0.isEmpty }.prefix(2).joined(separator: " in ")
        return readableName.isEmpty ? nil : readableName
    }

    /// Replaces each `(Name in _HASH)`, the form of private types, by `Name`.
    private static func withoutPrivacy(_ name: String) -> Substring {
        var result = ""
        var rest = Substring(name)
        while let mark = rest.firstRange(of: " in _") {
            guard let open = rest[..<mark.lowerBound].lastIndex(of: "("),
                let close = rest[mark.upperBound...].firstIndex(of: ")")
            else {
                break
            }
            result += rest[..<open] + rest[rest.index(after: open)..<mark.lowerBound]
            rest = rest[rest.index(after: close)...]
        }
        return Substring(result + rest)
    }

    #if os(Linux) && compiler(>=6.3)
        /// The functions in which the calling job is interrupted, without those that only lock.
        static func interruptedFunctions() -> [(name: String, address: UInt)] {
            var places = [UnsafeMutableRawPointer?](repeating: nil, count: 40)
            let count = Int(interleaving_callers(&places, 40))
            let callers = places[..<count].compactMap { place in
                // A return address is behind the call.
                place.flatMap { place in function(at: place).map { (name: $0, address: UInt(bitPattern: place) - 1) } }
            }
            let interposed = callers.lastIndex { caller in
                ["pthread_", "dispatch_", "nanosleep", "syscall", "_swift_async_stream", "interleaving_note_"].contains
                {
                    caller.name.hasPrefix($0)
                }
            }
            var functions: [(name: String, address: UInt)] = []
            for (name, address) in callers[(interposed.map { $0 + 1 } ?? 0)...] {
                if name.hasPrefix("run_job") || name.hasPrefix("interleaving_") { break }
                let isLock = ["lock", "Lock", "critical", "Critical"].contains { name.contains($0) }
                if !isLock, functions.last?.name != name { functions.append((name, address)) }
            }
            return functions
        }
    #endif

    #if os(Linux)
        private static func demangled(_ mangled: String) -> String? {
            guard let name = interleaving_demangled(mangled) else { return mangled }
            defer { interleaving_free(name) }
            return String(cString: name)
        }
    #endif
}
