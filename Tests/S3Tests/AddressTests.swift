import Foundation
import Persistence
import S3
import Testing

@Suite struct AddressTests {
    @Test func addressNamesTheParts() throws {
        let address = try S3Address("s3://my-bucket/a/b/?endpoint=https://s3.example.org:9000&region=eu-1")
        #expect(address.bucket == "my-bucket")
        #expect(address.prefix == "a/b/")
        #expect(address.region == "eu-1")
        #expect(address.endpoint.absoluteString == "https://s3.example.org:9000")
        #expect(!address.isVirtualHosted)
        #expect(address.description == "s3://my-bucket/a/b/ at s3.example.org")
    }

    @Test func addressWithoutAnEndpointIsThatOfAWS() throws {
        let address = try S3Address("s3://bucket?region=eu-central-1")
        #expect(address.endpoint.absoluteString == "https://s3.eu-central-1.amazonaws.com")
        #expect(address.prefix == "")
        #expect(address.isVirtualHosted)
        #expect(try !S3Address("s3://a.bucket").isVirtualHosted)
        #expect(try S3Address("s3://bucket?endpoint=https://example.org/&addressing=virtual").isVirtualHosted)
    }

    @Test(arguments: [
        "", "bucket", "https://bucket/", "s3://", "s3:///prefix", "s3://Bucket", "s3://ab", "s3://-bucket",
        "s3://bucket..x", "s3://bucket:80/", "s3://bucket/#x", "s3://key:secret@bucket/",
        "s3://bucket/a/../b", "s3://bucket/a%20b", "s3://bucket/a%2fb%00", "s3://bucket?endpoint=example.org",
        "s3://bucket?endpoint=https://key:secret@example.org", "s3://bucket?endpoint=https://example.org/path",
        "s3://bucket?endpoint=ftp://example.org", "s3://bucket?endpoint=http://example.org",
        "s3://bucket?region=EU", "s3://bucket?region=", "s3://bucket?region=a&region=b", "s3://bucket?secret=x",
        "s3://bucket?addressing=dns", "s3://bucket?tls=no", "s3://bucket?downloads=no",
    ])
    func invalidAddressIsRefused(text: String) {
        let error = #expect(throws: StoreError.self) { try S3Address(text) }
        #expect(error?.code == .invalidName)
        #expect(error?.message.contains("key:secret") == false)
    }

    @Test func endpointWithoutTLSIsThisComputerUnlessItIsAllowed() throws {
        for host in ["127.0.0.1:9000", "localhost", "[::1]:80"] {
            _ = try S3Address("s3://bucket?endpoint=http://\(host)")
        }
        _ = try S3Address("s3://bucket?endpoint=http://10.0.0.1&tls=off")
    }

    @Test func keyIsReadFromTheEnvironment() throws {
        let environment = [
            "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "hidden", "AWS_SESSION_TOKEN": "token",
        ]
        let credentials = try S3Credentials(environment: environment)
        #expect(credentials == S3Credentials(keyID: "AKID", secret: "hidden", sessionToken: "token"))
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped, "\([credentials])"] {
            #expect(!text.contains("hidden") && !text.contains("token") && !text.contains("AKID"))
        }
    }

    @Test(arguments: [
        [:], ["AWS_ACCESS_KEY_ID": "AKID"], ["AWS_SECRET_ACCESS_KEY": "hidden"],
        ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": ""],
        ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "hidden\nx-other: y"],
    ])
    func missingOrInvalidKeyIsReported(environment: [String: String]) {
        let error = #expect(throws: StoreError.self) { try S3Credentials(environment: environment) }
        #expect(error?.message.contains("AWS_SECRET_ACCESS_KEY") == true)
        #expect(error?.message.contains("hidden") == false)
    }
}
