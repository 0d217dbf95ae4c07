import AsyncHTTPClient
package import Foundation
package import Futures
import NIOCore
import NIOHTTP1
import NIOSSL
package import Persistence

/// A client of one bucket of an S3-compatible store.
///
/// Each request ends within a deadline. Requests that failed because of the network or of the service's load are
/// repeated after pauses. Cancelling the task cancels its request.
///
/// Methods throw ``StoreError``: `missing` if an object doesn't exist, `notWritable` if the service refuses the access
/// key, `invalidName` if the address is wrong, `corrupt` if an object isn't what was stored, `timedOut` at a deadline,
/// `cancelled`, and `inputOutput` otherwise.
package final class S3Client: Sendable {
    /// How requests are made.
    package struct Settings: Sendable {
        /// How long a connection may take to be established.
        package var connectLimit = Duration.seconds(10)
        /// How long a request may take, in addition to the time for its content.
        package var timeLimit = Duration.seconds(30)
        /// The slowest transfer of content that isn't ended, in bytes per second.
        package var slowestRate = 64 << 10
        /// The pauses after failures that are worth repeating a request; the budget is for the attempts and the pauses.
        package var retry = Retry(
            attempts: 8, backoff: Backoff(firstPause: .milliseconds(200), longestPause: .seconds(5)),
            budget: .seconds(30))
        /// The size of the parts in which larger files are uploaded; at least 5 MiB, which S3 demands.
        package var partBytes = 16 << 20
        /// A file with further certificates to trust, as PEM.
        package var trustedCertificates: String?

        /// The default settings.
        package init() {}
    }

    package let address: S3Address
    let credentials: S3Credentials
    let settings: Settings
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let http: HTTPClient

    /// Creates a client without connecting.
    ///
    /// - Parameters:
    ///   - address: The bucket.
    ///   - credentials: The key that signs the requests.
    ///   - settings: How requests are made.
    ///   - clock: Measures deadlines and pauses.
    ///   - now: The time of signatures, which may differ from the service's by at most 15 minutes.
    package init(
        _ address: S3Address, credentials: S3Credentials, settings: Settings = Settings(),
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.address = address
        self.credentials = credentials
        self.settings = settings
        self.clock = clock
        self.now = now
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .nanoseconds(Int64(settings.connectLimit / .nanoseconds(1))), read: nil),
            connectionPool: .init(idleTimeout: .seconds(20), concurrentHTTP1ConnectionsPerHostSoftLimit: 16))
        configuration.httpVersion = .http1Only
        // Requests are repeated here, with their own pauses.
        configuration.connectionPool.retryConnectionEstablishment = false
        if let path = settings.trustedCertificates {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.file(path)]
            configuration.tlsConfiguration = tls
        }
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // The client retains itself until its connections are closed.
        _ = http.shutdown()
    }
}

// MARK: - Objects

extension S3Client {
    /// An object of a list.
    package struct Object: Hashable, Sendable {
        package let key: String
        package let byteCount: Int
        package let modified: Date
    }

    /// A part of a list.
    package struct Page: Sendable {
        package let objects: [Object]
        /// Where the next part begins; `nil` at the end.
        package let next: String?
    }

    /// The size of an object; `nil` if it doesn't exist.
    package func size(of key: String) async throws(StoreError) -> Int? {
        do throws(S3Failure) {
            let response = try await send(S3Request(method: .HEAD, key: key))
            guard let text = response.headers.first(name: "content-length"), let size = Int(text), size >= 0 else {
                throw .garbled("an answer has no valid Content-Length")
            }
            return size
        } catch {
            if error.isMissing { return nil }
            throw error.storeError(at: address)
        }
    }

    /// Stores a file as an object, and replaces an existing one.
    ///
    /// A file that is larger than a part is uploaded in parts. If that fails, the parts are deleted.
    ///
    /// - Parameters:
    ///   - path: The file, which must not change meanwhile.
    ///   - byteCount: The file's size.
    ///   - key: The object's name, without the prefix of the address.
    /// - Throws: ``StoreError``: `missing` if the file doesn't exist, `corrupt` if the stored object has another size.
    package func put(file path: String, byteCount: Int, as key: String) async throws(StoreError) {
        do throws(S3Failure) {
            let file = try await S3File(path)
            if byteCount > settings.partBytes {
                try await putParts(of: file, byteCount, as: key)
            } else {
                let content = try await S3Content(file, 0..<byteCount)
                try await send(S3Request(method: .PUT, key: key, content: content))
            }
        } catch {
            throw error.storeError(at: address)
        }
    }

    /// Stores data as an object, and replaces an existing one.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - key: The object's name, without the prefix of the address.
    /// - Throws: ``StoreError``.
    package func put(_ data: Data, as key: String) async throws(StoreError) {
        do throws(S3Failure) {
            try await send(S3Request(method: .PUT, key: key, content: S3Content(data: data)))
        } catch {
            throw error.storeError(at: address)
        }
    }

    /// Copies an object into a file.
    ///
    /// - Parameters:
    ///   - key: The object's name, without the prefix of the address.
    ///   - byteCount: The object's size. An object of another size is `corrupt`.
    ///   - path: The file, which is created, or overwritten. After an error it may contain a part of the object.
    /// - Throws: ``StoreError``.
    package func get(_ key: String, byteCount: Int, into path: String) async throws(StoreError) {
        do throws(S3Failure) {
            try await send(S3Request(method: .GET, key: key, destination: .init(path: path, byteCount: byteCount)))
        } catch {
            throw error.storeError(at: address)
        }
    }

    /// Deletes objects; those that don't exist are ignored.
    ///
    /// - Parameter keys: The objects' names, without the prefix of the address, at most a thousand.
    /// - Throws: ``StoreError``, also if only some objects couldn't be deleted.
    package func delete(_ keys: [String]) async throws(StoreError) {
        guard !keys.isEmpty else { return }
        let names = keys.map { "<Object><Key>\(S3XML.escaped(address.prefix + $0))</Key></Object>" }.joined()
        let body = Data(
            "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>\(names)</Delete>".utf8)
        do throws(S3Failure) {
            var request = S3Request(method: .POST, key: nil, query: [("delete", "")], content: S3Content(data: body))
            request.headers = [("content-type", "application/xml")]
            let response = try await send(request)
            guard let root = S3XML.root(of: response.content), root.name == "DeleteResult" else {
                throw .garbled("the answer to a deletion isn't one")
            }
            if let failed = root.first("Error") {
                throw .refused(200, code: failed["Code"] ?? "", message: failed["Message"] ?? "")
            }
        } catch {
            throw error.storeError(at: address)
        }
    }

    /// Deletes any number of objects; those that don't exist are ignored.
    func deleteAll(_ keys: [String]) async throws(StoreError) {
        for start in stride(from: 0, to: keys.count, by: 1_000) {
            try await delete(Array(keys[start..<min(start + 1_000, keys.count)]))
        }
    }

    /// Lists objects in the order of their names.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the names, without the prefix of the address.
    ///   - token: Where the part begins: ``Page/next`` of the part before, or `nil`.
    ///   - limit: The largest number of objects, at most a thousand.
    /// - Returns: The objects, whose names are without the prefix of the address.
    /// - Throws: ``StoreError``.
    package func list(
        beginningWith prefix: String = "", from token: String? = nil, limit: Int = 1_000
    ) async throws(StoreError) -> Page {
        do throws(S3Failure) {
            var query = [("list-type", "2"), ("max-keys", "\(limit)"), ("prefix", address.prefix + prefix)]
            if let token { query.append(("continuation-token", token)) }
            let response = try await send(S3Request(method: .GET, key: nil, query: query))
            guard let root = S3XML.root(of: response.content), root.name == "ListBucketResult" else {
                throw .garbled("a list of objects isn't one")
            }
            let objects = root.all("Contents").compactMap { item -> Object? in
                guard let key = item["Key"].flatMap(name), let size = item["Size"].flatMap({ Int($0) }),
                    let modified = item["LastModified"].flatMap(Self.date)
                else { return nil }
                return Object(key: key, byteCount: size, modified: modified)
            }
            guard root["IsTruncated"] == "true" else { return Page(objects: objects, next: nil) }
            guard let next = root["NextContinuationToken"], !next.isEmpty, next != token else {
                throw .garbled("a list of objects has no end")
            }
            return Page(objects: objects, next: next)
        } catch {
            throw error.storeError(at: address)
        }
    }

    /// A key without the prefix of the address; `nil` if it has another prefix.
    func name(_ key: String) -> String? {
        key.hasPrefix(address.prefix) ? String(key.dropFirst(address.prefix.count)) : nil
    }

    /// Reads a time such as `2026-11-29T21:41:51.000Z`, with or without fractions of a second.
    static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
    }
}

// MARK: - URLs without a key

extension S3Client {
    /// A URL that reads an object without a key until it expires; the service isn't asked.
    ///
    /// The answer has none of this program's header fields, such as a content security policy. Use it only for what is
    /// downloaded, not for what a browser shows as a page.
    ///
    /// - Parameters:
    ///   - key: The object's name, without the prefix of the address.
    ///   - lifetime: How long the URL is valid, from a second to a week.
    ///   - type: The `Content-Type` of the answer.
    ///   - disposition: The `Content-Disposition` of the answer.
    /// - Returns: The URL.
    package func presignedURL(
        of key: String, lifetime: Duration, type: String? = nil, disposition: String? = nil
    ) -> URL? {
        var request = signedRequest(S3Request(method: .GET, key: key))
        if let type { request.query.append(("response-content-type", type)) }
        if let disposition { request.query.append(("response-content-disposition", disposition)) }
        let query = signature.presignedQuery(of: request, lifetime: lifetime)
        return URL(string: "\(origin)\(S3Signature.encoded(path: request.path))?\(query)")
    }
}
