import Crypto
import Digests

/// A secret of 256 random bits: the cookie of a session, or the link of an invitation.
///
/// Only its hash is stored. It needs no salt and no slow function, because it can't be guessed.
public struct RandomToken: Sendable {
    /// 64 hexadecimal digits.
    public let text: String

    /// Creates a new token.
    public init() {
        // The system's cryptographic generator.
        text = String.randomHexadecimal(bytes: 32)
    }

    /// Reads a token.
    ///
    /// - Returns: `nil` if the text can't be one.
    public init?(_ text: String) {
        guard text.isHexadecimal(bytes: 32) else { return nil }
        self.text = text
    }

    /// The SHA-256 of the text, which is stored.
    public var hash: String { SHA256.hash(data: Array(text.utf8)).hexadecimal }
}
