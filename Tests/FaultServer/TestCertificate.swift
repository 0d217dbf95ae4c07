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
    /// - Parameter host: The name that it is for.
    /// - Throws: When `openssl` cannot be run, or fails.
    public init(for host: String) throws {
        self.folder = FileManager.default.temporaryDirectory.appendingPathComponent("meanwhile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let child = Process()
        child.executableURL = URL(filePath: "/usr/bin/openssl")
        child.currentDirectoryURL = folder
        child.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)", "-keyout", "key.pem", "-out", "certificate.pem",
        ]
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
