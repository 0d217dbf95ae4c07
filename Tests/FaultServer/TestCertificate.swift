import Foundation
import NIOSSL

/// A certificate that nobody else signed, and its key, made by `openssl` in a folder that goes with it.
public final class TestCertificate: Sendable {
    private struct Failed: Error {
        var status: Int32
    }

    private let folder: URL

    /// The certificate's file, in PEM.
    public var path: String { folder.path + "/certificate.pem" }

    /// Makes a certificate.
    ///
    /// - Parameters:
    ///   - host: The name that it is for.
    ///   - issuer: Where the certificate that signed it is said to be; `nil` if it signed itself.
    /// - Throws: When `openssl` cannot be run, or fails.
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

    /// The SHA-256 of its public key, in Base64, as Chromium's `--ignore-certificate-errors-spki-list` takes it.
    ///
    /// - Returns: The digest.
    /// - Throws: When `openssl` cannot be run, or fails.
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
        let key = try NIOSSLPrivateKey(file: folder.path + "/key.pem", format: .pem)
        return .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    }
}
