import Foundation

/// `data:` URLs, as defined by https://fetch.spec.whatwg.org/#data-urls.
enum DataAddress {
    /// The URL of empty content.
    static let empty = Array("data:,".utf8)

    /// The URL of a resource, safe to use in HTML attributes, in `url()` without quotes, and within other URLs.
    static func ofResource(_ resource: WebArchive.Resource) -> [UInt8] {
        let type = resource.mediaType.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        let isType = type.wholeMatch(of: /[A-Za-z0-9.+_-]+\/[A-Za-z0-9.+_-]+/) != nil
        let encoding = resource.textEncodingName.flatMap { name in
            name.wholeMatch(of: /[A-Za-z0-9._-]+/).map { ";charset=\($0.output)" }
        }
        var address = Array("data:\(isType ? type : "application/octet-stream")\(encoding ?? "");base64,".utf8)
        address.append(contentsOf: resource.data.base64EncodedData())
        return address
    }

    /// The URL of text, safe to use in double quotes in HTML and CSS, and within other URLs.
    ///
    /// The characters of Base64 aren't percent-encoded, so `data:` URLs in the text don't grow when URLs are nested.
    static func ofText(_ text: [UInt8], type: String) -> [UInt8] {
        var address = Array("data:\(type);charset=utf-8,".utf8)
        address.reserveCapacity(address.count + text.count + text.count / 4)
        for byte in text {
            if plain[Int(byte)] {
                address.append(byte)
            } else {
                address.append(UInt8(ascii: "%"))
                address.append(digits[Int(byte >> 4)])
                address.append(digits[Int(byte & 15)])
            }
        }
        return address
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let plain: [Bool] = {
        var plain = [Bool](repeating: false, count: 256)
        // Printable ASCII except the delimiters of HTML, CSS and URLs; interior spaces are allowed.
        for byte in UInt8(ascii: " ")...UInt8(ascii: "~") { plain[Int(byte)] = true }
        for byte in "\"#%&<\\".utf8 { plain[Int(byte)] = false }
        return plain
    }()

    /// Parses a URL into bytes and the type with its parameters; `nil` if it isn't a `data:` URL.
    static func content(of address: String) -> (bytes: Data, type: String)? {
        guard address.prefix(5).lowercased() == "data:", let comma = address.firstIndex(of: ",") else { return nil }
        let type = address[address.index(address.startIndex, offsetBy: 5)..<comma]
        let bytes = percentDecoded(address[address.index(after: comma)...])
        guard type.range(of: #";\s*base64\s*$"#, options: [.regularExpression, .caseInsensitive]) != nil else {
            return (bytes, String(type))
        }
        return Data(base64Encoded: bytes, options: .ignoreUnknownCharacters).map { ($0, String(type)) }
    }

    private static func percentDecoded(_ text: Substring) -> Data {
        let bytes = Array(text.utf8)
        var decoded = Data(capacity: bytes.count)
        var position = 0
        while position < bytes.count {
            // `UInt8(_:radix:)` accepts a sign before a single digit.
            if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
                !"+-".utf8.contains(bytes[position + 1]),
                let byte = UInt8(String(decoding: bytes[(position + 1)...(position + 2)], as: UTF8.self), radix: 16)
            {
                decoded.append(byte)
                position += 3
            } else {
                decoded.append(bytes[position])
                position += 1
            }
        }
        return decoded
    }
}
