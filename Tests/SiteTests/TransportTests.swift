import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Site

@Suite struct TrustedProxiesTests {
    private func client(
        _ proxies: [String], peer: String, forwardedFor: [String] = [], forwarded: [String] = []
    ) throws -> String {
        var fields = HTTPFields()
        for value in forwardedFor { fields.append(HTTPField(name: .xForwardedFor, value: value)) }
        for value in forwarded { fields.append(HTTPField(name: .forwarded, value: value)) }
        return try TrustedProxies(proxies).client(behind: peer, fields)
    }

    @Test(arguments: [
        // The last address that isn't a proxy is the client's; what stands before it may be invented.
        (["192.0.2.1"], "192.0.2.1"), (["8.8.8.8, 192.0.2.1"], "192.0.2.1"),
        (["8.8.8.8", "192.0.2.1"], "192.0.2.1"), (["192.0.2.1, 10.0.0.3"], "192.0.2.1"),
        (["127.0.0.1, 192.0.2.1,10.1.1.1 ,\t10.2.2.2"], "192.0.2.1"), (["192.0.2.1:4711"], "192.0.2.1"),
        (["[2001:db8::1]:80"], "2001:db8::1"), (["2001:DB8::1"], "2001:db8::1"), (["::ffff:192.0.2.1"], "192.0.2.1"),
        // Without a usable address, the last known proxy counts.
        ([], "10.0.0.9"), ([""], "10.0.0.9"), (["unknown"], "10.0.0.9"), (["192.0.2.1, unknown"], "10.0.0.9"),
        (["192.0.2.1, unknown, 10.0.0.3"], "10.0.0.3"), (["999.1.1.1"], "10.0.0.9"), (["0x7f.1"], "10.0.0.9"),
        (["10.0.0.1"], "10.0.0.1"),
        ([String(repeating: "10.0.0.1,", count: 10_000) + "192.0.2.1"], "192.0.2.1"),
        (["192.0.2.1" + String(repeating: ",10.0.0.1", count: 10_000)], "10.0.0.1"),
    ])
    func clientIsTheRightmostAddressThatIsNoProxy(header: [String], expected: String) throws {
        #expect(try client(["10.0.0.0/8"], peer: "10.0.0.9", forwardedFor: header) == expected)
        #expect(try client(["10.0.0.0/8"], peer: "::ffff:10.0.0.9", forwardedFor: ["192.0.2.1"]) == "192.0.2.1")
    }

    @Test(arguments: [
        (["for=192.0.2.1"], "192.0.2.1"), (["For=\"[2001:db8::1]:80\";proto=https"], "2001:db8::1"),
        (["for=8.8.8.8, for=192.0.2.1;by=10.0.0.1"], "192.0.2.1"), (["for=_hidden"], "10.0.0.9"),
        (["proto=https"], "10.0.0.9"), (["for="], "10.0.0.9"), (["for=\"192.0.2.1"], "10.0.0.9"),
    ])
    func standardHeaderIsUnderstood(header: [String], expected: String) throws {
        #expect(try client(["10.0.0.0/8"], peer: "10.0.0.9", forwarded: header) == expected)
    }

    @Test func strangersAndAmbiguousHeadersAreNotBelieved() throws {
        #expect(try client(["10.0.0.0/8"], peer: "192.0.2.7", forwardedFor: ["192.0.2.1"]) == "192.0.2.7")
        #expect(try client([], peer: "127.0.0.1", forwardedFor: ["192.0.2.1"]) == "127.0.0.1")
        // A proxy passes on the header that it doesn't set, as the client has sent it.
        #expect(
            try client(["10.0.0.9"], peer: "10.0.0.9", forwardedFor: ["192.0.2.1"], forwarded: ["for=8.8.8.8"])
                == "10.0.0.9")
        for text in ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "example.com", "::1/129", "10.0.0.0/8/8"] {
            #expect(throws: SiteError.self) { try TrustedProxies([text]) }
        }
    }

    @Test func blocksContainTheirAddresses() throws {
        let proxies = try TrustedProxies(["10.16.0.0/12", "2001:db8::/33", "192.0.2.1", "0.0.0.0/32"])
        for address in ["10.16.0.1", "10.31.255.255", "2001:db8:7fff::1", "192.0.2.1"] {
            #expect(proxies.contains(address), "\(address)")
        }
        for address in ["10.15.0.1", "10.32.0.1", "2001:db8:8000::1", "192.0.2.2", "", "x"] {
            #expect(!proxies.contains(address), "\(address)")
        }
    }
}

@Suite struct RequestRateTests {
    @Test func aFloodIsRefusedUntilTimeHasPassed() {
        let counters = RequestRate.Counters()
        let start = ContinuousClock.now
        for _ in 0..<1_000 { #expect(counters.admit("a", at: start) == nil) }
        #expect(counters.admit("a", at: start) == 1)
        #expect(counters.admit("b", at: start) == nil)
        #expect(counters.admit("a", at: start + .seconds(1)) == nil)
        // Counters of very many addresses are forgotten.
        for number in 0..<50_000 { _ = counters.admit("\(number)", at: start + .seconds(2)) }
        #expect(counters.admit("new", at: start + .seconds(2)) == nil)
    }
}
