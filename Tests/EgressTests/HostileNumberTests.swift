import NIOHTTP1
import Testing

@testable import Egress

/// Hostile numbers in place of a port, a length or a prefix length.
@Suite struct HostileNumberTests {
    private static let numbers = [
        "", "-1", "-0", "+5", "+80", "65536", "99999", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "18446744073709551616", "1000000000000000000000000000000", "٣", "８０", "²", "0x50", "1e2",
        "80.0", "NaN", "inf", " 80", "80 ",
    ]

    private func request(_ method: HTTPMethod, _ target: String, _ headers: [(String, String)] = []) -> ProxyRequest? {
        try? ProxyRequest(HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: .init(headers)))
    }

    @Test(arguments: numbers)
    func hostileNumberInAPortIsRefused(number: String) {
        #expect(PortNumber.port(number) == nil)
        #expect(request(.CONNECT, "a.example:\(number)") == nil)
        #expect(request(.CONNECT, "[::1]:\(number)") == nil)
        // Without a number, the default port applies.
        #expect(request(.GET, "http://a.example:\(number)/")?.port == (number.isEmpty ? 80 : nil))
        #expect(throws: EgressError.self) { try AllowRule("a.example:\(number)") }
        #expect(throws: EgressError.self) { try AllowRule("[fd00::1]:\(number)") }
    }

    @Test(arguments: numbers)
    func hostileNumberInALengthIsRefused(number: String) {
        // NIO may parse these differently; the proxy forwards only digits that fit.
        let isShort =
            number.utf8.count <= 18 && !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
        #expect((request(.POST, "http://a.example/", [("Content-Length", number)]) != nil) == isShort)
    }

    @Test(arguments: numbers)
    func hostileNumberInAPrefixLengthIsRefused(number: String) {
        for address in ["10.0.0.0", "fd00::"] {
            #expect(AddressBlock("\(address)/\(number)") == nil)
            #expect(throws: EgressError.self) { try AllowRule("\(address)/\(number)") }
        }
    }

    @Test(arguments: [Int.min, -1, 0, 65_536, Int.max])
    func invalidPortIsRefused(port: Int) throws {
        let address = try #require(IPAddress("93.184.216.34"))
        #expect(throws: EgressRefusal.self) {
            try AddressPolicy.publicOnly.check(address, host: "a.example", port: port)
        }
        let allowing = AddressPolicy(allowing: [try AllowRule("a.example"), try AllowRule("0.0.0.0/0")])
        #expect(throws: EgressRefusal.self) { try allowing.check(address, host: "a.example", port: port) }
    }

    @Test func everyPrefixLengthHasAMask() throws {
        for text in ["255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "0.0.0.0", "::"] {
            let address = try #require(IPAddress(text))
            for length in 0...(address.isIPv4 ? 32 : 128) {
                let block = AddressBlock(around: address, prefixLength: length)
                #expect(block.contains(address) && block.contains(block.last))
            }
        }
    }
}
