import Egress

/// Describes the addresses that a program may connect to for a host, or why it may not connect.
func destination(of host: String, port: Int, by checker: AddressChecker) async -> String {
    do {
        let addresses = try await checker.addresses(of: host, port: port)
        return "\(host): connect to " + addresses.map(\.description).joined(separator: " or ")
    } catch {
        return "\(host): \(error.message)"
    }
}

/// A resolver with fixed names, so that tests need no network.
struct FixedNames: NameResolver {
    let names: [String: [String]]

    func addresses(of host: String) async throws -> [IPAddress] {
        names[host, default: []].compactMap { IPAddress($0) }
    }
}

func checkAddresses() async {
    let names = FixedNames(names: ["nas.example": ["10.0.0.7"], "both.example": ["8.8.8.8", "10.0.0.7"]])
    let strict = AddressChecker(resolver: names)
    print(await destination(of: "8.8.8.8", port: 443, by: strict))
    print(await destination(of: "192.168.1.5", port: 80, by: strict))
    print(await destination(of: "2130706433", port: 80, by: strict))
    print(await destination(of: "nas.example", port: 5000, by: strict))
    print(await destination(of: "both.example", port: 443, by: strict))
    print(await destination(of: "none.example", port: 443, by: strict))
    do {
        let policy = AddressPolicy(allowing: [try AllowRule("nas.example:5000")])
        let lenient = AddressChecker(policy: policy, resolver: names)
        print(await destination(of: "nas.example", port: 5000, by: lenient))
        print(await destination(of: "nas.example", port: 22, by: lenient))
        _ = try AllowRule("http://nas.example:5000/")
    } catch {
        print(error.message)
    }
}
