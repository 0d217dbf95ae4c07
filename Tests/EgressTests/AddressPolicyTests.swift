import Foundation
import Testing

@testable import Egress

@Suite struct AddressPolicyTests {
    @Test(arguments: [
        ("0.0.0.0", "0.0.0.0/32"), ("0.1.2.3", "0.0.0.0/8"), ("10.0.0.1", "10.0.0.0/8"),
        ("100.64.0.1", "100.64.0.0/10"), ("127.0.0.1", "127.0.0.0/8"), ("127.255.255.254", "127.0.0.0/8"),
        ("169.254.1.1", "169.254.0.0/16"), ("172.16.0.1", "172.16.0.0/12"), ("172.31.255.255", "172.16.0.0/12"),
        ("192.0.0.9", "192.0.0.0/24"), ("192.0.2.1", "192.0.2.0/24"), ("192.88.99.1", "192.88.99.0/24"),
        ("192.168.1.1", "192.168.0.0/16"), ("198.18.0.1", "198.18.0.0/15"), ("198.51.100.7", "198.51.100.0/24"),
        ("203.0.113.9", "203.0.113.0/24"), ("224.0.0.251", "224.0.0.0/4"), ("240.0.0.1", "240.0.0.0/4"),
        ("255.255.255.255", "255.255.255.255/32"), ("169.254.169.254", "169.254.169.254/32"),
        ("100.100.100.200", "100.100.100.200/32"), ("168.63.129.16", "168.63.129.16/32"),
        ("::", "::/128"), ("::1", "::1/128"), ("::7f00:1", "::/96"), ("::ffff:127.0.0.1", "127.0.0.0/8"),
        ("::ffff:0:7f00:1", "::ffff:0:0:0/96"), ("::ffff:169.254.169.254", "169.254.169.254/32"),
        ("64:ff9b::10.0.0.1", "10.0.0.0/8"), ("64:ff9b:1::8.8.8.8", "64:ff9b:1::/48"), ("100::1", "100::/64"),
        ("100:0:0:1::1", "100:0:0:1::/64"), ("2001::1", "2001::/32"), ("2001:2::1", "2001:2::/48"),
        ("2001:10::1", "2001:10::/28"), ("2001:2f::1", "2001:20::/28"), ("2001:1ff::1", "2001::/23"),
        ("2001:db8::1", "2001:db8::/32"), ("2002:7f00:1::", "2002::/16"), ("2002:808:808::", "2002::/16"),
        ("3fff:fff::1", "3fff::/20"), ("5f00::1", "5f00::/16"), ("fc00::1", "fc00::/7"), ("fdff::1", "fc00::/7"),
        ("fd00:ec2::254", "fd00:ec2::254/128"), ("fd20:ce::254", "fd20:ce::254/128"), ("fe80::1", "fe80::/10"),
        ("fec0::1", "fec0::/10"), ("ff02::1", "ff00::/8"), ("1::1", "::/0"), ("4000::1", "::/0"), ("fe00::1", "::/0"),
    ])
    func nonPublicAddressIsRefusedWithItsRange(address: String, range: String) throws {
        let address = try #require(IPAddress(address))
        let refusal = #expect(throws: EgressRefusal.self) {
            try AddressPolicy.publicOnly.check(address, host: "name.example", port: 443)
        }
        #expect(refusal?.rule.range == range)
        #expect(refusal?.code == .addressNotPublic)
        #expect(refusal?.address == address)
        #expect(refusal?.message.contains("\(address)") == true)
        #expect(refusal?.message.contains(range) == true)
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "93.184.215.14", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "192.31.196.1", "2000::1", "2606:4700:4700::1111", "2620:4f:8000::1", "2001:200::1", "2003::1",
        "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "3ffe::1", "3fff:1000::1",
    ])
    func publicAddressesAreAllowed(address: String) throws {
        let address = try #require(IPAddress(address))
        try AddressPolicy.publicOnly.check(address, host: "name.example", port: 443)
    }

    @Test func articleListsEveryRange() throws {
        let article = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/Toolkit/Egress/Egress.docc/WhereAProgramMayConnect.md")
        let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
        let rows = lines.filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let ranges = AddressRange.ipv4 + AddressRange.ipv6
        for range in ranges {
            // The same range can be written in several forms.
            let row = rows.first { AddressBlock($0[0].trimmingCharacters(in: ["`"])) == range.block }
            #expect(row?[1] == range.name && row?.last?.contains(range.source) == true, "\(range.block)")
        }
    }

    @Test func rangeContainsItsEdgesButNotTheirNeighbours() throws {
        for range in AddressRange.ipv4 + AddressRange.ipv6 {
            let block = range.block
            #expect(block.contains(block.first) && block.contains(block.last), "\(block)")
            #expect(AddressBlock("\(block)") == block)
            let all: UInt128 = block.first.isIPv4 ? 0xffff_ffff : .max
            if block.first.number > 0 {
                let before = IPAddress(number: block.first.number - 1, isIPv4: block.first.isIPv4)
                #expect(!block.contains(before), "\(before) is in \(block)")
            }
            if block.last.number < all {
                let after = IPAddress(number: block.last.number + 1, isIPv4: block.first.isIPv4)
                #expect(!block.contains(after), "\(after) is in \(block)")
            }
            guard case .refused = range.verdict else { continue }
            for edge in [block.first, block.last] {
                #expect(throws: EgressRefusal.self, "\(edge) of \(block)") {
                    try AddressPolicy.publicOnly.check(edge, host: "\(edge)", port: 80)
                }
            }
        }
        // Catches ranges whose text is invalid, which would otherwise be dropped silently.
        #expect(AddressRange.ipv4.count == 23 && AddressRange.ipv6.count == 27)
    }

    @Test func noRangeIsHiddenByALargerOne() {
        // A range that follows a larger one containing it would never be used.
        for ranges in [AddressRange.ipv4, AddressRange.ipv6] {
            for range in ranges {
                #expect(AddressRange.containing(range.block.last)?.block.prefixLength ?? 0 >= range.block.prefixLength)
                #expect(
                    ranges.first { $0.block.contains(range.block.first) && $0.block.contains(range.block.last) }?.block
                        == range.block)
            }
        }
    }

    @Test(arguments: ["10.1.2.3", "127.0.0.1", "169.254.169.254", "192.168.0.1", "0.0.0.0", "255.255.255.255"])
    func embeddedPrivateAddressIsRefused(address: String) throws {
        let four = try #require(IPAddress(address))
        for prefix in ["::ffff:", "64:ff9b::"] {
            let six = try #require(IPAddress(prefix + address))
            let refusal = #expect(throws: EgressRefusal.self) {
                try AddressPolicy.publicOnly.check(six, host: "name.example", port: 80)
            }
            #expect(refusal?.embeddedAddress == four)
            #expect(refusal?.message.contains("stands for \(address)") == true)
        }
    }

    @Test func portsOfOtherProtocolsAreRefusedUnlessNamed() throws {
        let address = try #require(IPAddress("8.8.8.8"))
        for port in [0, 1, 22, 25, 6000, 6667, 10080, -1, 65536] {
            let refusal = #expect(throws: EgressRefusal.self) {
                try AddressPolicy.publicOnly.check(address, host: "mail.example", port: port)
            }
            #expect(refusal?.code == .portBlocked)
        }
        for port in [80, 443, 8080, 65535] {
            try AddressPolicy.publicOnly.check(address, host: "mail.example", port: port)
        }
        try AddressPolicy(allowing: [AllowRule("mail.example:25")]).check(address, host: "mail.example", port: 25)
        #expect(throws: EgressRefusal.self) {
            try AddressPolicy(allowing: [AllowRule("mail.example")]).check(address, host: "mail.example", port: 25)
        }
    }

    @Test func anAllowedNameAllowsThatNameOnly() throws {
        let policy = try AddressPolicy(allowing: [AllowRule("nas.example")])
        let address = try #require(IPAddress("192.168.1.5"))
        for host in ["nas.example", "NAS.Example", "nas.example."] {
            try policy.check(address, host: host, port: 80)
        }
        for host in ["www.nas.example", "example", "192.168.1.5", "evil-nas.example", "nas.example.evil.example"] {
            #expect(throws: EgressRefusal.self) { try policy.check(address, host: host, port: 80) }
        }
    }

    @Test func allowedBlockAllowsEveryNameThatResolvesIntoIt() throws {
        let policy = try AddressPolicy(allowing: [AllowRule("192.168.1.0/24:8080")])
        let inside = try #require(IPAddress("192.168.1.255"))
        let mapped = try #require(IPAddress("::ffff:192.168.1.7"))
        let outside = try #require(IPAddress("192.168.2.0"))
        try policy.check(inside, host: "any.example", port: 8080)
        try policy.check(mapped, host: "any.example", port: 8080)
        #expect(throws: EgressRefusal.self) { try policy.check(inside, host: "any.example", port: 80) }
        #expect(throws: EgressRefusal.self) { try policy.check(outside, host: "any.example", port: 8080) }
    }

    @Test func metadataAddressIsAllowedOnlyByItsOwnRule() throws {
        let address = try #require(IPAddress("169.254.169.254"))
        for rule in ["169.254.0.0/16", "0.0.0.0/0", "name.example"] {
            let refusal = #expect(throws: EgressRefusal.self, "\(rule)") {
                try AddressPolicy(allowing: [AllowRule(rule)]).check(address, host: "name.example", port: 80)
            }
            #expect(refusal?.allowOption == "--allow 169.254.169.254:80")
        }
        try AddressPolicy(allowing: [AllowRule("169.254.169.254")]).check(address, host: "name.example", port: 80)
    }

    @Test(arguments: [
        ("nas.example", "192.168.1.5", 5000, "nas.example:5000"), ("192.168.1.5", "192.168.1.5", 80, "192.168.1.5:80"),
        ("[fd00::1]", "fd00::1", 443, "[fd00::1]:443"), ("localhost", "::1", 8080, "localhost:8080"),
        ("0x7f.1", "127.0.0.1", 80, "127.0.0.1:80"), ("[::ffff:a00:1]", "::ffff:10.0.0.1", 80, "10.0.0.1:80"),
        ("mail.example", "8.8.8.8", 25, "mail.example:25"), ("8.8.8.8", "8.8.8.8", 22, "8.8.8.8:22"),
    ])
    func optionSuggestedByARefusalAllowsTheAddress(host: String, address: String, port: Int, rule: String) throws {
        let address = try #require(IPAddress(address))
        let refusal = #expect(throws: EgressRefusal.self) {
            try AddressPolicy.publicOnly.check(address, host: host, port: port)
        }
        #expect(refusal?.allowOption == "--allow \(rule)")
        #expect(refusal?.message.hasSuffix("--allow \(rule)") == true)
        let allowing = try AddressPolicy(allowing: [AllowRule(#require(refusal?.allowRule))])
        try allowing.check(address, host: host, port: port)
    }
}
