import ArgumentParser
import Egress

/// The `--allow` options, which allow addresses besides public ones.
struct AllowedAddresses: ParsableArguments {
    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp(
            "A host or block of addresses that pages may also be loaded from, such as on your own network; repeatable.",
            discussion: "Also from MEANWHILE_ALLOW, separated by commas.", valueName: "host|cidr[:port]"))
    var texts: [String] = []

    /// Returns the policy given by the options and the environment variable `MEANWHILE_ALLOW`.
    ///
    /// - Throws: `ValidationError` if a rule is invalid.
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
