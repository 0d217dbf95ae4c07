/// The form of URLs by which indexes of web archives are sorted, such as `org,example)/path?a=b`.
///
/// URLs that usually lead to the same page have the same form. It's the one of Python's package `surt`, with which pywb
/// looks up URLs: https://pypi.org/project/surt/
enum SortableURL {
    /// The sortable form of a URL as a browser writes it.
    static func key(of url: String) -> String {
        // The other implementation ignores these characters, too.
        let bytes = url.utf8.prefix { $0 != UInt8(ascii: "#") }.filter { !"\t\n\r".utf8.contains($0) }
            .trimming { $0 == UInt8(ascii: " ") }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return url
        }
        let scheme = lowercased(bytes[..<colon])
        let start = colon + 3
        let end = bytes[start...].firstIndex { "/?".utf8.contains($0) } ?? bytes.endIndex
        let mark = bytes[end...].firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var key = host(bytes[start..<end], scheme: scheme)
        key.append(UInt8(ascii: ")"))
        key += path(bytes[end..<mark])
        let query = query(bytes[mark...].dropFirst())
        if !query.isEmpty { key += [UInt8(ascii: "?")] + query }
        return String(decoding: key, as: UTF8.self)
    }

    // MARK: Parts

    private static func host(_ authority: ArraySlice<UInt8>, scheme: [UInt8]) -> [UInt8] {
        let at = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        var host = authority[at...]
        var port: [UInt8] = []
        let bracket = host.lastIndex(of: UInt8(ascii: "]"))
        if let colon = host.lastIndex(of: UInt8(ascii: ":")), bracket.map({ $0 < colon }) ?? true {
            port = Array(host[(colon + 1)...])
            host = host[..<colon]
        }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") { host = host.dropFirst().dropLast() }
        let isDefault =
            scheme.elementsEqual("http".utf8) && port.elementsEqual("80".utf8)
            || scheme.elementsEqual("https".utf8) && port.elementsEqual("443".utf8)
        if isDefault { port = [] }
        var name = escaped(lowercased(unescaped(Array(host)).split(separator: UInt8(ascii: ".")).joined(by: ".")))
        if name.starts(with: "www".utf8) {
            let rest = name.dropFirst(3).drop { (0x30...0x39).contains($0) }
            if rest.first == UInt8(ascii: ".") { name = Array(rest.dropFirst()) }
        }
        let reversed = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).reversed()
        return reversed.joined(by: ",") + (port.isEmpty ? [] : [UInt8(ascii: ":")] + port)
    }

    private static func path(_ path: ArraySlice<UInt8>) -> [UInt8] {
        var parts: [ArraySlice<UInt8>] = []
        let plain = unescaped(Array(path))
        for part in plain.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            switch true {
            case part.elementsEqual(".".utf8): break
            case part.elementsEqual("..".utf8) && !parts.isEmpty: parts.removeLast()
            default: parts.append(part)
            }
        }
        var result = [UInt8(ascii: "/")]
        for part in parts.dropLast() where !part.isEmpty { result += part + [UInt8(ascii: "/")] }
        result += parts.last ?? []
        result = withoutSession(path: lowercased(escaped(result)))
        if result.count > 1, result.last == UInt8(ascii: "/") { result.removeLast() }
        return result
    }

    private static func query(_ query: ArraySlice<UInt8>) -> [UInt8] {
        let plain = lowercased(withoutSession(query: escaped(unescaped(Array(query)))))
        guard plain.count > 1 else { return plain }
        let members = plain.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { $0.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false) }
            .sorted { first, second in
                for (first, second) in zip(first, second) where !first.elementsEqual(second) {
                    return first.lexicographicallyPrecedes(second)
                }
                return first.count < second.count
            }
        return members.map { $0.joined(by: "=")[...] }.joined(by: "&")
    }
}

// MARK: - Characters

extension SortableURL {
    /// Replaces percent-encoded bytes until there are none.
    ///
    /// Each round shortens the text, and takes O(*n*). A hostile text has O(*n*) rounds, so their number is limited.
    static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<32 {
            let plain = unescapedOnce(bytes)
            if plain.count == bytes.count { break }
            bytes = plain
        }
        return bytes
    }

    private static func unescapedOnce(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Percent-encodes all but printable ASCII characters, and `#` and `%`.
    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "%")
            return isPlain ? [byte] : escape(byte)
        }
    }

    /// A percent-encoded byte.
    static func escape(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
    }

    private static func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || isLetter(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

// MARK: - Session IDs

extension SortableURL {
    /// Removes the session ID of ASP.NET: `/(S(24 characters))/page.aspx`, or without the inner parentheses.
    private static func withoutSession(path: [UInt8]) -> [UInt8] {
        var path = path
        for isNested in [true, false] {
            for slash in path.indices.reversed() where path[slash] == UInt8(ascii: "/") {
                guard let end = endOfSession(in: path, at: slash + 1, isNested: isNested), isPage(path[end...]) else {
                    continue
                }
                path.removeSubrange((slash + 1)..<end)
                break
            }
        }
        return path
    }

    /// The position behind a session ID and its slash; `nil` if there is none.
    private static func endOfSession(in path: [UInt8], at start: Int, isNested: Bool) -> Int? {
        guard start < path.count, path[start] == UInt8(ascii: "(") else { return nil }
        var position = start + 1
        if isNested {
            while position + 27 <= path.count, isLetter(path[position]), path[position + 1] == UInt8(ascii: "("),
                path[(position + 2)..<(position + 26)].allSatisfy(isAlphanumeric),
                path[position + 26] == UInt8(ascii: ")")
            {
                position += 27
            }
            guard position > start + 1 else { return nil }
        } else {
            guard position + 24 <= path.count, path[position..<(position + 24)].allSatisfy(isAlphanumeric) else {
                return nil
            }
            position += 24
        }
        guard path[position...].starts(with: ")/".utf8) else { return nil }
        return position + 2
    }

    private static func isPage(_ rest: ArraySlice<UInt8>) -> Bool {
        let name = rest.prefix { $0 != UInt8(ascii: "?") }
        return name.dropFirst().indices.contains { name[$0...].starts(with: ".aspx".utf8) }
    }

    private static func withoutSession(query: [UInt8]) -> [UInt8] {
        var query = query
        for name in ["jsessionid=", "phpsessid=", "sid="] {
            query = without(name, in: query) { rest in rest.prefix(32).allSatisfy(isAlphanumeric) ? 32 : nil }
        }
        query = without("aspsessionid", in: query) { rest in
            let isSession =
                rest.prefix(8).allSatisfy(isLetter) && rest.dropFirst(8).first == UInt8(ascii: "=")
                && rest.dropFirst(9).prefix(24).allSatisfy(isLetter)
            return isSession ? 33 : nil
        }
        return without("cfid=", in: query) { rest in
            let id = rest.prefix { $0 != UInt8(ascii: "&") }
            let token = rest[id.endIndex...]
            guard !id.isEmpty, lowercased(token.prefix(9)).elementsEqual("&cftoken=".utf8) else { return nil }
            let value = token.dropFirst(9).prefix { $0 != UInt8(ascii: "&") }
            return value.isEmpty ? nil : id.count + 9 + value.count
        }
    }

    /// Removes the last member that begins with a name and continues as `length` finds, up to `&` or the end.
    private static func without(
        _ name: String, in query: [UInt8], length: (ArraySlice<UInt8>) -> Int?
    ) -> [UInt8] {
        let first = name.utf8.first ?? 0
        for start in query.indices.reversed() where query[start] | 0x20 == first {
            let rest = query[start...]
            guard lowercased(rest.prefix(name.utf8.count)).elementsEqual(name.utf8) else { continue }
            let value = rest.dropFirst(name.utf8.count)
            guard let length = length(value), length <= value.count else { continue }
            let end = value.startIndex + length
            if end == query.endIndex { return Array(query[..<start]) }
            if query[end] == UInt8(ascii: "&") { return Array(query[..<start]) + Array(query[(end + 1)...]) }
        }
        return query
    }
}

extension [UInt8] {
    fileprivate func trimming(_ isTrimmed: (UInt8) -> Bool) -> [UInt8] {
        Array(drop(while: isTrimmed).reversed().drop(while: isTrimmed).reversed())
    }
}

extension Sequence<ArraySlice<UInt8>> {
    /// Joins parts with a separator of one ASCII character.
    fileprivate func joined(by separator: Unicode.Scalar) -> [UInt8] {
        Array(joined(separator: CollectionOfOne(UInt8(ascii: separator))))
    }
}
