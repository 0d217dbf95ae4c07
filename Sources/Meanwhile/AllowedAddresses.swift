import ArgumentParser
import Egress

/// The `--allow` options, which allow addresses besides public ones.
struct AllowedAddresses: ParsableArguments {
    @Option(name: .customLong("allow"), help: CaptureWords.allow)
    var texts: [String] = []

    /// Returns the policy given by the options and the environment variable `MEANWHILE_ALLOW`.
    ///
    /// - Throws: `ValidationError` if a rule is invalid.
    func policy(environment: [String: String]) throws -> AddressPolicy {
        var rules: [AllowRule] = []
        do throws(EgressError) {
            for text in texts { rules.append(try AllowRule(text)) }
        } catch {
            throw ValidationError(CaptureWords.wrongRule(from: "--allow", error.message))
        }
        do throws(EgressError) {
            rules += try AllowRule.list(environment["MEANWHILE_ALLOW"] ?? "")
        } catch {
            throw ValidationError(CaptureWords.wrongRule(from: "MEANWHILE_ALLOW", error.message))
        }
        return AddressPolicy(allowing: rules)
    }
}
