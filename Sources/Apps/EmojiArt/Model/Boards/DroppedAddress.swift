import Foundation

/// The meaning of an address that was dropped, pasted or read from a file: a picture's address, or the picture itself.
public enum DroppedAddress: Hashable, Sendable {
    /// The http or https address of a picture.
    case address(String)
    /// The picture that a `data:` address contains; its bytes aren't validated yet.
    case picture(PictureContent)

    /// Parses dropped text; `nil` if it isn't an address, in which case it may be emoji.
    ///
    /// As in the course, the address of a page that shows a picture by `imgurl=` yields the picture's address. `data:`
    /// may be in Base64 or percent-encoded. Of a list of addresses, as browsers drop them, the first is used.
    public static func read(_ text: String) throws(DroppedAddressError) -> DroppedAddress? {
        guard text.utf8.count <= BoardLimits.importBytes else { throw .tooLarge }
        var address = firstLine(of: text)
        // An address may be nested in another, encoded each time; genuine ones have few levels.
        for _ in 0..<8 {
            guard !isData(address) else { return .picture(try picture(in: address)) }
            guard Background.isWebAddress(address) else { return nil }
            guard let inner = imageAddress(in: address) else { break }
            address = inner
        }
        // The innermost address found may be `data:`.
        return isData(address) ? .picture(try picture(in: address)) : .address(address)
    }

    /// The first address of a list; the whole text if it is a `data:` address, which may span several lines.
    private static func firstLine(of text: String) -> String {
        let rest = String(text.drop(while: \.isWhitespace))
        if isData(rest) { return rest }
        // Iterates rather than splits: a text may have millions of lines.
        var lines = rest.utf8[...]
        while !lines.isEmpty {
            let line = lines.prefix { $0 != 0x0A && $0 != 0x0D }
            lines = lines[line.endIndex...].dropFirst()
            // Lines that begin with a number sign are comments.
            guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 }), first != UInt8(ascii: "#") else {
                continue
            }
            let text = String(Substring(line)).trimmingCharacters(in: .whitespaces)
            if !text.isEmpty, !text.hasPrefix("#") { return text }
        }
        return ""
    }
}

// MARK: imgurl

extension DroppedAddress {
    /// The value of `imgurl` in the query or fragment of an address, if that is an address too.
    private static func imageAddress(in address: String) -> String? {
        // The value may have a query of its own that isn't encoded. Iterates rather than splits: there may be millions
        // of items.
        let isSeparator: (UInt8) -> Bool = { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "#") }
        let bytes = address.utf8
        var items = bytes.drop { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }.dropFirst()
        while !items.isEmpty {
            let item = items.prefix { !isSeparator($0) }
            items = items[item.endIndex...].dropFirst()
            guard item.starts(with: "imgurl=".utf8) else { continue }
            var value = String(Substring(item.dropFirst("imgurl=".utf8.count)))
            for _ in 0..<4 {
                if Background.isWebAddress(value) || isData(value) { return value }
                guard let decoded = value.removingPercentEncoding else { break }
                value = decoded
            }
        }
        return nil
    }
}

// MARK: data

extension DroppedAddress {
    /// The maximum number of bytes before the comma of a `data:` address.
    private static let longestHead = 1_000

    private static func isData(_ address: String) -> Bool { address.prefix(5).lowercased() == "data:" }

    /// Decodes the picture in a `data:` address; see RFC 2397.
    private static func picture(in address: String) throws(DroppedAddressError) -> PictureContent {
        let bytes = address.utf8
        // Media types and their parameters are short.
        guard let comma = bytes.prefix(longestHead).firstIndex(of: UInt8(ascii: ",")) else { throw .unreadable }
        var fields = address[..<comma].dropFirst(5).split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        let isBase64 = fields.last == "base64"
        if isBase64 { fields.removeLast() }
        let type = fields.first ?? ""
        guard type.hasPrefix("image/") else {
            throw .noImage(type: type.isEmpty ? "text/plain" : String(type.prefix(100)))
        }
        let body = percentDecoded(bytes[bytes.index(after: comma)...])
        guard isBase64 else { return try checked(body, type: type) }
        guard let data = base64Decoded(body) else { throw .unreadable }
        return try checked(data, type: type)
    }

    private static func checked(_ data: Data, type: String) throws(DroppedAddressError) -> PictureContent {
        guard !data.isEmpty else { throw .unreadable }
        guard data.count <= BoardLimits.pictureBytes else { throw .tooLarge }
        return PictureContent(data: data, type: type)
    }

    /// Decodes percent encoding; an invalid sequence is copied literally, as browsers do.
    private static func percentDecoded(_ bytes: Substring.UTF8View) -> Data {
        let encoded = Array(bytes)
        guard encoded.contains(UInt8(ascii: "%")) else { return Data(encoded) }
        var data: [UInt8] = []
        data.reserveCapacity(encoded.count)
        var index = 0
        while index < encoded.count {
            if encoded[index] == UInt8(ascii: "%"), index + 2 < encoded.count,
                let high = digit(encoded[index + 1]), let low = digit(encoded[index + 2])
            {
                data.append(high << 4 | low)
                index += 3
            } else {
                data.append(encoded[index])
                index += 1
            }
        }
        return Data(data)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Decodes Base64; allows missing padding, white space and the URL-safe alphabet.
    private static func base64Decoded(_ bytes: Data) -> Data? {
        if let data = Data(base64Encoded: bytes) { return data }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count + 3)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "-"): encoded.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): encoded.append(UInt8(ascii: "/"))
            case UInt8(ascii: "="), UInt8(ascii: " "), 0x09, 0x0A, 0x0C, 0x0D: break
            default: encoded.append(byte)
            }
        }
        while encoded.count % 4 != 0 { encoded.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(encoded))
    }
}

/// Why a dropped address yields no picture.
public enum DroppedAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The contents of a `data:` address can't be decoded.
    case unreadable
    /// A `data:` address contains something other than an image.
    case noImage(type: String)
    /// The picture has more bytes than the limit.
    case tooLarge

    /// A message for the user: what happened, and what to do now.
    public var description: String {
        switch self {
        case .unreadable: ArtWords.addressUnreadable
        case .noImage(let type): ArtWords.addressHasNoPicture(type)
        case .tooLarge: ArtWords.addressTooLarge(megabytes: BoardLimits.pictureBytes / 1_000_000)
        }
    }
}
