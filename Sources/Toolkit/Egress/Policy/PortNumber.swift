/// Parses port numbers, and lists the blocked ones.
enum PortNumber {
    /// Parses a decimal number without a sign; `nil` if it's invalid or exceeds the limit.
    static func decimal(_ text: some StringProtocol, upTo limit: Int) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), number <= limit
        else { return nil }
        return number
    }

    /// Parses a port number from 1 to 65535.
    static func port(_ text: some StringProtocol) -> Int? {
        guard let number = decimal(text, upTo: 65535), number > 0 else { return nil }
        return number
    }

    /// The ports of protocols whose servers might interpret an HTTP request as one of their own.
    ///
    /// The list of bad ports from https://fetch.spec.whatwg.org/#port-blocking
    static let blocked: Set<Int> = [
        0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
        109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526,
        530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045,
        4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    ]
}
