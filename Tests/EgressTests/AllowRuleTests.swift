import Testing

@testable import Egress

@Suite struct AllowRuleTests {
    @Test(arguments: [
        ("nas.example", "nas.example"), ("NAS.example.:5000", "nas.example:5000"), ("localhost", "localhost"),
        ("192.168.1.5", "192.168.1.5"), ("192.168.1.5:80", "192.168.1.5:80"), ("192.168.1.0/24", "192.168.1.0/24"),
        ("10.0.0.0/8:8080", "10.0.0.0/8:8080"), ("0.0.0.0/0", "0.0.0.0/0"), ("::1", "::1"), ("[::1]", "::1"),
        ("[::1]:8080", "[::1]:8080"), ("fd00::/8", "fd00::/8"), ("[fd00::/8]:8080", "[fd00::/8]:8080"),
        ("[fd00::]/8:8080", "[fd00::/8]:8080"), ("::/0", "::/0"), ("2130706433", "127.0.0.1"),
        ("a_b.example", "a_b.example"), ("192.168.1.5/32", "192.168.1.5"),
    ])
    func rulesAreParsedAndNormalized(text: String, written: String) throws {
        let rule = try AllowRule(text)
        #expect("\(rule)" == written)
        #expect(try AllowRule(written) == rule)
    }

    @Test(arguments: [
        ("", "HOST or CIDR"), ("nas.example:0", "1 to 65535"), ("nas.example:65536", "1 to 65535"),
        ("nas.example:+80", "1 to 65535"), ("nas.example:", "1 to 65535"), (":80", "HOST or CIDR"),
        ("http://nas.example:5000/photos", "nas.example:5000"), ("192.168.1.5/24", "Did you mean 192.168.1.0/24?"),
        ("10.0.0.0/33", "block of addresses"), ("10.0.0.0/8/8", "block of addresses"), ("*.example", "host's name"),
        ("bücher.example", "xn--"), ("[::1", "HOST or CIDR"), ("[1.2.3.4]:80", "HOST or CIDR"), ("[::1]80", "HOST"),
        ("fe80::1%eth0", "host's name"), ("256.1.1.1", "host's name"), ("a b", "host's name"), ("a..b", "host's name"),
        ("[fd00::1]/8", "Did you mean fd00::/8?"),
    ])
    func invalidRuleIsRefusedWithAReason(text: String, hint: String) {
        let error = #expect(throws: EgressError.self) { try AllowRule(text) }
        #expect(error?.code == .invalidRule)
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }

    @Test func listIsSplitAtCommasAndSpaces() throws {
        #expect(
            try AllowRule.list(" nas.example:80, 10.0.0.0/8\t::1 ").map(\.description) == [
                "nas.example:80", "10.0.0.0/8", "::1",
            ])
        #expect(try AllowRule.list("").isEmpty)
        #expect(throws: EgressError.self) { try AllowRule.list("nas.example,*") }
    }
}
