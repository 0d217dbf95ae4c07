import ArgumentParser
import Egress

/// What `--allow` and `MEANWHILE_ALLOW` open besides public addresses.
struct AllowedAddresses: ParsableArguments {
    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp(
            "A host or block of addresses of your own network that pages may be loaded from; may be given several times.",
            discussion: "Also from MEANWHILE_ALLOW, with commas between.", valueName: "host|cidr[:port]"))
    var texts: [String] = []

    /// The policy that the options and the environment make together.
    ///
    /// - Throws: What is wrong with one of them.
    func policy(environment: [String: String]) throws -> AddressPolicy {
        var rules: [AllowRule] = []
        do throws(EgressError) {
            for text in texts { rules.append(try AllowRule(text)) }
        } catch {
            throw ValidationError("--allow: \(error.message)")
        }
        do throws(EgressError) {
            rules += try AllowRule.list(environment["MEANWHILE_ALLOW"] ?? "")
        } catch {
            throw ValidationError("MEANWHILE_ALLOW: \(error.message)")
        }
        return AddressPolicy(allowing: rules)
    }
}
