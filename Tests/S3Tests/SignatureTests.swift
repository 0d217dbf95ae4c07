import Foundation
import Testing

@testable import S3

/// The examples of the documentation of AWS, whose signatures it publishes.
///
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html and
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
@Suite struct SignatureTests {
    private let signature = S3Signature(
        credentials: S3Credentials(keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        region: "us-east-1", date: Date(timeIntervalSince1970: 1_369_353_600))
    private static let host = "examplebucket.s3.amazonaws.com"

    private func authorization(_ request: S3Signature.Request, payload: String = S3Signature.emptyHash) -> String? {
        signature.headers(of: request, payload: payload).first { $0.name == "authorization" }?.value
    }

    @Test func objectIsRead() {
        let request = S3Signature.Request(
            method: "GET", host: Self.host, path: "/test.txt", headers: [("range", "bytes=0-9")])
        #expect(
            authorization(request)
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func objectIsStored() {
        let request = S3Signature.Request(
            method: "PUT", host: Self.host, path: "/test$file.text",
            headers: [
                ("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ])
        let payload = S3Content(data: Data("Welcome to Amazon S3.".utf8)).hashes.sha256
        #expect(
            authorization(request, payload: payload)?.hasSuffix(
                ",Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd") == true)
    }

    @Test func settingOfABucketIsRead() {
        let request = S3Signature.Request(method: "GET", host: Self.host, path: "/", query: [("lifecycle", "")])
        #expect(
            authorization(request)?.hasSuffix(
                ",Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543") == true)
    }

    @Test func objectsAreListed() {
        // The order of the parameters doesn't matter.
        let request = S3Signature.Request(
            method: "GET", host: Self.host, path: "/", query: [("prefix", "J"), ("max-keys", "2")])
        #expect(
            authorization(request)?.hasSuffix(
                ",Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7") == true)
    }

    @Test func urlIsSigned() {
        let request = S3Signature.Request(method: "GET", host: Self.host, path: "/test.txt")
        #expect(
            signature.presignedQuery(of: request, lifetime: .seconds(86_400))
                == "X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test func temporaryKeyIsSignedWithItsToken() {
        let signature = S3Signature(
            credentials: S3Credentials(keyID: "A", secret: "b", sessionToken: "token"), region: "us-east-1",
            date: Date(timeIntervalSince1970: 0))
        let request = S3Signature.Request(method: "GET", host: Self.host, path: "/")
        let headers = signature.headers(of: request, payload: S3Signature.emptyHash)
        #expect(headers.contains { $0 == ("x-amz-security-token", "token") })
        #expect(
            headers.last?.value.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token")
                == true)
        #expect(signature.presignedQuery(of: request, lifetime: .seconds(1)).contains("&X-Amz-Security-Token=token&"))
    }

    @Test func lifetimeOfAURLIsAtMostAWeek() {
        let request = S3Signature.Request(method: "GET", host: Self.host, path: "/")
        #expect(signature.presignedQuery(of: request, lifetime: .seconds(9_999_999)).contains("Expires=604800&"))
        #expect(signature.presignedQuery(of: request, lifetime: .zero).contains("Expires=1&"))
    }

    @Test func allBytesExceptUnreservedOnesAreEncoded() {
        #expect(S3Signature.encoded("aZ09-._~ /+é\u{0}") == "aZ09-._~%20%2F%2B%C3%A9%00")
        #expect(S3Signature.encoded(path: "/a b/c") == "/a%20b/c")
    }
}
