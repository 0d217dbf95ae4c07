public import Foundation
import Futures
import NIOCore
import NIOSSL

/// The certificate of the site and its private key, which are read again when their files change.
///
/// Open connections continue with the certificate with which they began.
public final class SiteCertificate: Sendable {
    private struct Loaded: Sendable {
        var chain: [NIOSSLCertificateSource]
        var key: NIOSSLPrivateKeySource
        var expiresAt: Date
        var bytes: [Data]
    }

    /// The largest file that is read, in bytes.
    private static let maximumBytes = 1 << 20

    private let certificateFile: String
    private let keyFile: String
    private let loaded: Lock<Loaded>

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - certificateFile: A PEM file with the certificate, followed by those of its issuers.
    ///   - keyFile: A PEM file with the private key, without a passphrase.
    /// - Throws: ``SiteError`` if a file can't be read, or the key isn't that of the certificate.
    public init(certificateFile: String, keyFile: String) throws(SiteError) {
        (self.certificateFile, self.keyFile) = (certificateFile, keyFile)
        loaded = Lock(try Self.load(certificateFile, keyFile))
    }

    /// When the certificate expires.
    public var expiresAt: Date { loaded.withLock(\.expiresAt) }

    /// Reads the files again; new connections use what they contain now.
    ///
    /// - Returns: Whether they have changed.
    /// - Throws: ``SiteError`` if they can't be used; the earlier certificate remains.
    @discardableResult
    public func reload() throws(SiteError) -> Bool {
        let new = try Self.load(certificateFile, keyFile)
        return loaded.withLock { loaded in
            defer { loaded = new }
            return loaded.bytes != new.bytes
        }
    }

    private static func load(_ certificateFile: String, _ keyFile: String) throws(SiteError) -> Loaded {
        let bytes = [try read(certificateFile), try read(keyFile)]
        do {
            let chain = try NIOSSLCertificate.fromPEMBytes(Array(bytes[0]))
            guard let first = chain.first else {
                throw SiteError(.certificate, SiteWords.noCertificate(certificateFile))
            }
            let key = NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(bytes: Array(bytes[1]), format: .pem))
            let sources = chain.map { NIOSSLCertificateSource.certificate($0) }
            // Fails if the key isn't the certificate's.
            _ = try NIOSSLContext(configuration: configuration(sources, key))
            return Loaded(
                chain: sources, key: key,
                expiresAt: Date(timeIntervalSince1970: TimeInterval(first.notValidAfter)), bytes: bytes)
        } catch let error as SiteError {
            throw error
        } catch {
            throw SiteError(
                .certificate, SiteWords.unusableCertificate(certificateFile, key: keyFile), cause: error)
        }
    }

    private static func read(_ path: String) throws(SiteError) -> Data {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw SiteError(.certificate, SiteWords.unreadableCertificate(path))
        }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: maximumBytes), !data.isEmpty else {
            throw SiteError(.certificate, SiteWords.unreadableCertificate(path))
        }
        return data
    }

    private static func configuration(
        _ chain: [NIOSSLCertificateSource], _ key: NIOSSLPrivateKeySource
    ) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }

    /// The configuration of connections, which asks for the current certificate at each handshake.
    var configuration: TLSConfiguration {
        let (chain, key) = loaded.withLock { ($0.chain, $0.key) }
        var configuration = Self.configuration(chain, key)
        configuration.sslContextCallback = { [weak self] _, promise in
            var current = NIOSSLContextConfigurationOverride()
            if let self { (current.certificateChain, current.privateKey) = loaded.withLock { ($0.chain, $0.key) } }
            promise.succeed(current)
        }
        return configuration
    }
}
