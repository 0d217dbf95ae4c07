import Crypto
import CryptoExtras
import Foundation

/// The cost of checking a password.
///
/// The defaults are those of OWASP for 32 MiB: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
public struct ScryptCost: Hashable, Sendable {
    /// The binary logarithm of the number of rounds.
    public var logRounds = 15
    /// The size of a block, in units of 128 bytes.
    public var blockSize = 8
    /// The number of independent computations.
    public var parallelism = 3

    /// Creates the recommended cost.
    public init() {}

    /// Creates a cost.
    public init(logRounds: Int, blockSize: Int, parallelism: Int) {
        (self.logRounds, self.blockSize, self.parallelism) = (logRounds, blockSize, parallelism)
    }

    /// Whether one of the numbers is lower.
    func isLower(than other: ScryptCost) -> Bool {
        logRounds < other.logRounds || blockSize < other.blockSize || parallelism < other.parallelism
    }
}

/// A password's hash with its parameters: `$scrypt$ln=15,r=8,p=3$SALT$HASH`, both in Base64 without padding.
struct ScryptHash: Sendable {
    private static let saltBytes = 16
    private static let hashBytes = 32
    /// The largest parameters that are computed: a damaged database mustn't stop the server.
    private static let maximum = ScryptCost(logRounds: 18, blockSize: 16, parallelism: 8)

    let cost: ScryptCost
    private let salt: Data
    private let key: Data

    /// Computes the hash of a password, which takes about 200 ms and 32 MiB by default.
    init(of password: Password, cost: ScryptCost) throws {
        let salt = SymmetricKey(size: SymmetricKeySize(bitCount: Self.saltBytes * 8)).withUnsafeBytes { Data($0) }
        self.cost = cost
        self.salt = salt
        self.key = try Self.key(of: password, salt: salt, cost: cost).withUnsafeBytes { Data($0) }
    }

    /// Makes a hash that no password has, which stands for those of unknown names.
    ///
    /// It is as costly to check as any other.
    init(ofNoPasswordWithCost cost: ScryptCost) {
        func random(_ count: Int) -> Data { Data((0..<count).map { _ in UInt8.random(in: .min ... .max) }) }
        (self.cost, salt, key) = (cost, random(Self.saltBytes), random(Self.hashBytes))
    }

    /// Reads a stored hash; `nil` if it is invalid.
    init?(_ text: String) {
        guard let match = text.wholeMatch(of: /\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([^$]+)\$([^$]+)/),
            let logRounds = Int(match.output.1), let blockSize = Int(match.output.2),
            let parallelism = Int(match.output.3), let salt = Self.decoded(match.output.4),
            let key = Self.decoded(match.output.5), salt.count == Self.saltBytes, key.count == Self.hashBytes,
            (1...Self.maximum.logRounds).contains(logRounds), (1...Self.maximum.blockSize).contains(blockSize),
            (1...Self.maximum.parallelism).contains(parallelism)
        else { return nil }
        cost = ScryptCost(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism)
        (self.salt, self.key) = (salt, key)
    }

    var text: String {
        "$scrypt$ln=\(cost.logRounds),r=\(cost.blockSize),p=\(cost.parallelism)$\(Self.encoded(salt))$\(Self.encoded(key))"
    }

    /// Computes the hash of a password again, and compares both in constant time.
    func matches(_ password: Password) throws -> Bool {
        try Self.key(of: password, salt: salt, cost: cost) == SymmetricKey(data: key)
    }

    private static func key(of password: Password, salt: Data, cost: ScryptCost) throws -> SymmetricKey {
        try KDF.Scrypt.deriveKey(
            from: password.bytes, salt: salt, outputByteCount: hashBytes, rounds: 1 << cost.logRounds,
            blockSize: cost.blockSize, parallelism: cost.parallelism)
    }

    private static func encoded(_ data: Data) -> String {
        String(data.base64EncodedString().prefix { $0 != "=" })
    }

    private static func decoded(_ text: Substring) -> Data? {
        Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}
