import Futures

#if os(Linux)
    import CInterleaving
#endif

/// Names of functions, as a person would say them.
enum Symbols {
    // The table of symbols is read at the first use.
    private static let lock = Lock(())

    /// The function that a place in the program is in; `nil` for one of the runtime's own making.
    static func function(at place: UnsafeMutableRawPointer) -> String? {
        #if os(Linux)
            guard let mangled = lock.withLock({ _ in interleaving_symbol(place).map { String(cString: $0) } }),
                let name = demangled(mangled)
            else {
                return nil
            }
            return spoken(name)
        #else
            return nil
        #endif
    }

    /// Without what surrounds it: module, types of arguments, which part of the function it is.
    static func spoken(_ name: String) -> String? {
        var name = Substring(name)
        if let start = name.firstRange(of: " for ") { name = name[start.upperBound...] }
        for noise in ["thunk", "reabstraction", "completeTask", "swift::", "dispatch thunk", "partial apply", "swift_"]
        where name.hasPrefix(noise) {
            return nil
        }
        let parts = withoutPrivacy(String(name)).split(separator: " in ").map { part -> String in
            var text = part[..<(part.firstIndex { $0 == "(" || $0 == "<" } ?? part.endIndex)]
            while text.last == " " { text.removeLast() }
            // What the optimiser has made of it is the same function to its author.
            for word in ["specialized ", "merged ", "generic "] where text.hasPrefix(word) {
                text = text.dropFirst(word.count)
            }
            if text.hasPrefix("closure") { return text.split(separator: " ").prefix(2).joined(separator: " ") }
            if text.hasPrefix("implicit closure") { return text.split(separator: " ").prefix(3).joined(separator: " ") }
            return text.split(separator: ".").suffix(2).joined(separator: ".")
        }
        let spoken = parts.filter { !$0.isEmpty }.prefix(2).joined(separator: " in ")
        return spoken.isEmpty ? nil : spoken
    }

    /// With `Name` for each `(Name in _HASH)`, as private types are called.
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

    #if os(Linux)
        private static func demangled(_ mangled: String) -> String? {
            guard let name = interleaving_demangled(mangled) else { return mangled }
            defer { interleaving_free(name) }
            return String(cString: name)
        }
    #endif
}
