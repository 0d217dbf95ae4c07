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

    /// Returns the readable name of the function that contains an address.
    ///
    /// It is `nil` for functions that run the body, and for those of Swift's own libraries.
    static func function(at address: UnsafeMutableRawPointer) -> String? {
        guard let mangled = mangled(at: address), !runners.contains(where: mangled.hasPrefix) else { return nil }
        #if os(Linux)
            return demangled(mangled).flatMap(readableName)
        #else
            return nil
        #endif
    }

    private static func mangled(at address: UnsafeMutableRawPointer) -> String? {
        #if os(Linux)
            lock.withLock { _ in interleaving_symbol(address).map { String(cString: $0) } }
        #else
            nil
        #endif
    }

    /// What a task waits for in Swift's libraries, by the addresses at which the task and its callers resume.
    static func runtimeWait(_ stack: [UnsafeMutableRawPointer]) -> StuckTask.Wait? {
        for address in stack {
            guard let mangled = mangled(at: address) else { continue }
            // Clocks and Task.sleep; AsyncStream and AsyncThrowingStream.
            if ["$ss", "$sScTss5NeverORszABRs_rlE"].contains(where: mangled.hasPrefix),
                ["5sleep", "6_sleep"].contains(where: mangled.contains)
            {
                return .time
            }
            if ["$sScS", "$sScs"].contains(where: mangled.hasPrefix) { return .element }
            if function(at: address) != nil { return nil }
        }
        return nil
    }

    /// Strips modules, argument types and a partial function's number from a demangled name.
    ///
    /// The result is `nil` for thunks, for code that a macro makes, and for functions of Swift's own libraries.
    static func readableName(_ name: String) -> String? {
        // Functions of C++ are the runtime's.
        if name.hasPrefix("_Z") || ["protocol witness for ", "$s", "__swiftmacro"].contains(where: name.contains) {
            return nil
        }
        var name = Substring(name)
        if let start = name.firstRange(of: " for ") { name = name[start.upperBound...] }
        for noise in ["thunk", "reabstraction", "completeTask", "swift::", "dispatch thunk", "partial apply", "swift_"]
        where name.hasPrefix(noise) {
            return nil
        }
        // To its author, an optimised variant is the same function.
        while let variant = name.firstRange(of: "specialization <"), let end = name.firstRange(of: "> of "),
            variant.lowerBound < end.lowerBound
        {
            name = name[end.upperBound...]
        }
        let scopes = withoutPrivacy(withoutExtension(name)).split(separator: " in ").filter { scope in
            !scope.contains("macro expansion")
        }
        let isOfSwift = ["Swift.", "static Swift."].contains { scopes.last?.hasPrefix($0) == true }
        guard let innermost = scopes.first, let outermost = scopes.last, !isOfSwift else { return nil }
        // The closures in between say less than the function around them.
        let parts = (scopes.count == 1 ? [innermost] : [innermost, outermost]).map(readableScope)
        let readableName = parts.filter { !$0.isEmpty }.joined(separator: " in ")
        return readableName.isEmpty ? nil : readableName
    }

    /// Strips modules and argument types from the name of a function or closure.
    private static func readableScope(_ scope: Substring) -> String {
        var text = scope[..<(scope.firstIndex { $0 == "(" || $0 == "<" } ?? scope.endIndex)]
        // The type of a property.
        if let type = text.firstRange(of: " : ") { text = text[..<type.lowerBound] }
        while text.last == " " { text.removeLast() }
        for word in ["specialized ", "merged ", "generic "] where text.hasPrefix(word) {
            text = text.dropFirst(word.count)
        }
        if text.hasPrefix("closure") { return text.split(separator: " ").prefix(2).joined(separator: " ") }
        if text.hasPrefix("implicit closure") { return text.split(separator: " ").prefix(3).joined(separator: " ") }
        for accessor in [".getter", ".setter", ".modify", ".read"] where text.hasSuffix(accessor) {
            text = text.dropLast(accessor.count)
        }
        let names = text.split(separator: ".")
        return (names.count > 1 ? names.dropFirst() : names[...]).suffix(2).joined(separator: ".")
    }

    /// Removes each `(extension in Module):`.
    private static func withoutExtension(_ name: Substring) -> String {
        var result = ""
        var rest = name
        while let mark = rest.firstRange(of: "(extension in "), let end = rest[mark.upperBound...].firstRange(of: "):")
        {
            result += rest[..<mark.lowerBound]
            rest = rest[end.upperBound...]
        }
        return result + rest
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
        /// The address in the innermost function of the program that made a task.
        static func creation(_ birth: interleaving_birth) -> UInt? {
            var birth = birth
            return withUnsafeBytes(of: &birth.callers) { bytes in
                let callers = bytes.bindMemory(to: UnsafeMutableRawPointer?.self).prefix(Int(birth.caller_count))
                let place = callers.lazy.compactMap(\.self).first { place in
                    // A return address is behind the call. The thread sanitizer adds a function of its own.
                    function(at: place - 1).map { !$0.hasPrefix("interleaving_") && !$0.contains("_interceptor_") }
                        ?? false
                }
                return place.map { UInt(bitPattern: $0) - 1 }
            }
        }

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
