import ArgumentParser
import Foundation
import OpenIDConnect
import Site

/// The provider at which people can sign in.
struct OpenIDOptions: ParsableArguments {
    @Option(name: .customLong("openid-issuer"), help: CommandWords.openIDIssuer)
    var issuer: String?

    @Option(name: .customLong("openid-client"), help: CommandWords.openIDClient)
    var client: String?

    @Option(name: .customLong("openid-secret-file"), help: CommandWords.openIDSecretFile, completion: .file())
    var secretFile: String?

    @Option(name: .customLong("openid-name"), help: CommandWords.openIDName)
    var name: String?

    @Flag(name: .customLong("openid-new-accounts"), help: CommandWords.openIDNewAccounts)
    var createsAccounts = false

    /// The longest secret, in bytes.
    private static let maximumSecretBytes = 4_096

    /// The provider; `nil` if there is none.
    ///
    /// - Throws: `ValidationError` for a wrong option; ``Refusal`` if the secret can't be read.
    func provider(environment: [String: String]) throws -> SiteProvider? {
        let client = client ?? environment["MEANWHILE_OPENID_CLIENT"]
        guard let issuer = issuer ?? environment["MEANWHILE_OPENID_ISSUER"] else {
            guard client == nil, secretFile == nil, name == nil, !createsAccounts else {
                throw ValidationError(CommandWords.openIDIssuerAndClient)
            }
            return nil
        }
        guard let client else { throw ValidationError(CommandWords.openIDIssuerAndClient) }
        let name = name ?? environment["MEANWHILE_OPENID_NAME"] ?? URL(string: issuer)?.host() ?? issuer
        let secret = try secret(environment)
        do throws(OpenIDError) {
            let configuration = try OpenIDProvider.Configuration(
                issuer: issuer, clientID: client, secret: secret, name: String(name.prefix(60)))
            return SiteProvider(
                OpenIDProvider(configuration),
                createsAccounts: createsAccounts || environment["MEANWHILE_OPENID_NEW_ACCOUNTS"] == "1")
        } catch {
            throw ValidationError("\(error)")
        }
    }

    private func secret(_ environment: [String: String]) throws -> String? {
        guard let path = secretFile ?? environment["MEANWHILE_OPENID_SECRET_FILE"] else { return nil }
        let file = FileHandle(forReadingAtPath: path)
        defer { try? file?.close() }
        let data = try? file?.read(upToCount: Self.maximumSecretBytes)
        let text = data.flatMap { String(data: $0, encoding: .utf8) } ?? ""
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else { throw Refusal(CommandWords.openIDNoSecret(path)) }
        return secret
    }
}
