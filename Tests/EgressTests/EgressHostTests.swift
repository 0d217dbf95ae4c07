import Testing

@testable import Egress

@Suite struct EgressHostTests {
    @Test(arguments: [
        "0x7f.1", "2130706433", "127.1", "0177.0.0.1", "0x7f000001", "017700000001", "127.0.0.1.", "127.0.1",
        "１２７.0.0.1", "127。0。0。1", "%31%32%37.0.0.1", "0x7F.0.0.0x1", "127.0.0.0x1", "00000177.0.0.1",
        "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1",
    ])
    func unusualFormsOfLoopbackAreRefused(text: String) async throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        #expect(EgressHost(text) == .address(loopback))
        let error = await #expect(throws: EgressError.self) {
            try await AddressChecker(resolver: NoResolver()).addresses(of: text, port: 80)
        }
        #expect(error?.refusal?.address == loopback)
    }

    @Test(arguments: [
        "[::1]", "::1", "[0:0:0:0:0:0:0:1]", "[::ffff:7f00:1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[::7f00:1]",
        "[fe80::1]", "0", "0.0.0.0", "0x0", "[::]",
    ])
    func otherAddressesOfThisMachineAreRefused(text: String) async {
        let error = await #expect(throws: EgressError.self) {
            try await AddressChecker(resolver: NoResolver()).addresses(of: text, port: 80)
        }
        #expect(error?.code == .refused)
    }

    @Test(arguments: [
        "", ".", "..", "256.0.0.1", "1.2.3.4.5", "127.0.0.08", "0x100000000", "4294967296", "127.0.0.256", "127..1",
        "[::1", "::1]", "[127.0.0.1]", "[fe80::1%eth0]", "[fe80::1%25eth0]", "fe80::1%lo", "a..b", "a b", "a%00b",
        "127.0.0.1%00.example", "exa%mple", "exa\u{0}mple", "bücher.example", "a/b", "a@b", "a:b", "-\u{ad}x", "09",
        "1.2.3.+4", "0+1.2.3.4", "0-0.2.3.4", "+1.2.3.4", "%+5", "%-0", "%", "%3", "%٣", "1.2.3.٤", "-1.2.3.4",
        "18446744073709551616", "1000000000000000000000000000000", "0x1000000000000000000000000000000",
        "0xffffffffffffffff", "9223372036854775807", "NaN.1",
    ])
    func invalidHostIsRefused(text: String) async {
        #expect(EgressHost(text) == nil)
        let error = await #expect(throws: EgressError.self) {
            try await AddressChecker(resolver: NoResolver()).addresses(of: text, port: 80)
        }
        #expect(error?.code == .invalidHost)
    }

    @Test(arguments: [
        ("Example.ORG", "example.org"), ("example.org.", "example.org"), ("a_b.c-d", "a_b.c-d"),
        ("e%78ample", "example"), ("ｅxample．org", "example.org"), ("0x7f.1.example", "0x7f.1.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ])
    func namesAreNormalizedAsInBrowsers(text: String, name: String) {
        #expect(EgressHost(text) == .name(name))
    }

    @Test func tooLongNamesAreRefused() {
        let label = String(repeating: "a", count: 63)
        #expect(EgressHost(label) == .name(label))
        #expect(EgressHost(label + "a") == nil)
        #expect(EgressHost([label, label, label, label].joined(separator: ".")) == nil)
    }

    @Test func ipv4NumbersEqualTheirDottedForms() throws {
        for number in [UInt32(0), 1, 0x7f00_0001, 0x0a00_0001, 0xc0a8_0101, 0xa9fe_a9fe, .max] {
            let address = IPAddress(number: UInt128(number), isIPv4: true)
            #expect(EgressHost("\(number)") == .address(address))
            #expect(EgressHost("0x" + String(number, radix: 16)) == .address(address))
            #expect(EgressHost("0" + String(number, radix: 8)) == .address(address))
            #expect(EgressHost("\(number >> 24).\(number & 0xff_ffff)") == .address(address))
            #expect(IPAddress("\(address)") == address)
            #expect(IPAddress(bytes: address.bytes) == address)
        }
    }
}

/// Throws at each look-up, because the tested hosts must not be resolved.
struct NoResolver: NameResolver {
    struct UnexpectedLookUp: Error {}

    func addresses(of host: String) async throws -> [IPAddress] {
        throw UnexpectedLookUp()
    }
}
