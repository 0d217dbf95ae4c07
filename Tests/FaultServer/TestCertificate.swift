import Foundation
import NIOSSL

/// A certificate that no trusted issuer signed, with its key, created by `openssl` in a temporary folder.
public final class TestCertificate: Sendable {
    private struct Failed: Error {
        var status: Int32
    }

    private let folder: URL

    /// The path of the certificate's PEM file.
    public var path: String { folder.path + "/certificate.pem" }
    /// The path of the key's PEM file.
    public var keyPath: String { folder.path + "/key.pem" }

    /// Creates a certificate.
    ///
    /// - Parameters:
    ///   - host: The host's name that the certificate is for.
    ///   - issuer: The URL that the certificate gives for its issuer's certificate; `nil` for a self-signed
    ///     certificate.
    /// - Throws: If `openssl` can't be run or fails.
    public init(for host: String, issuerAt issuer: String? = nil) throws {
        self.folder = FileManager.default.temporaryDirectory.appendingPathComponent("meanwhile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let new = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        var options: [String] = []
        if let issuer {
            try openssl(new + ["-subj", "/CN=issuer", "-keyout", "issuer-key.pem", "-out", "issuer.pem"])
            options = [
                "-CA", "issuer.pem", "-CAkey", "issuer-key.pem", "-addext",
                "authorityInfoAccess=caIssuers;URI:\(issuer)",
            ]
        }
        try openssl(
            new + options + [
                "-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)", "-keyout", "key.pem", "-out",
                "certificate.pem",
            ])
    }

    /// Computes the SHA-256 digest of the public key in Base64, as in Chromium's
    /// `--ignore-certificate-errors-spki-list`.
    ///
    /// - Returns: The digest.
    /// - Throws: If `openssl` can't be run or fails.
    public func publicKeyDigest() throws -> String {
        try openssl(["x509", "-in", "certificate.pem", "-noout", "-pubkey", "-out", "public.pem"])
        try openssl(["pkey", "-pubin", "-in", "public.pem", "-outform", "der", "-out", "public.der"])
        try openssl(["dgst", "-sha256", "-binary", "-out", "digest", "public.der"])
        return try Data(contentsOf: folder.appendingPathComponent("digest")).base64EncodedString()
    }

    private func openssl(_ arguments: [String]) throws {
        let child = Process()
        child.executableURL = URL(filePath: "/usr/bin/openssl")
        child.currentDirectoryURL = folder
        child.arguments = arguments
        child.standardError = FileHandle.nullDevice
        try child.run()
        child.waitUntilExit()
        guard child.terminationStatus == 0 else { throw Failed(status: child.terminationStatus) }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func configuration() throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMFile(path).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: keyPath, format: .pem)
        return .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    }
}
