import Foundation

/// `data:` addresses, by https://fetch.spec.whatwg.org/#data-urls.
enum DataAddress {
    /// Nothing at all.
    static let empty = Array("data:,".utf8)

    /// Of a file, such that it may stand in HTML attributes, in `url()` without quotes, and in other addresses.
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

    /// Of text, such that it may stand in double quotes in HTML and CSS, and in other addresses.
    ///
    /// Base64 in it stays as long as it is, and does not grow when it is nested.
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
        // All of ASCII but what ends or begins something in HTML, CSS or addresses; spaces inside stay.
        for byte in UInt8(ascii: " ")...UInt8(ascii: "~") { plain[Int(byte)] = true }
        for byte in "\"#%&<\\".utf8 { plain[Int(byte)] = false }
        return plain
    }()

    /// Takes an address apart; returns the bytes and the type with its parameters; `nil` if it is no such address.
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
            // `UInt8(_:radix:)` accepts a sign before one digit.
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
