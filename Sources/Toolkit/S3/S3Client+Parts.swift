package import Foundation
import NIOHTTP1
package import Persistence

// Files that are uploaded in parts: https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html

extension S3Client {
    /// The largest number of parts.
    private static let maximumParts = 10_000

    func putParts(of file: S3File, _ byteCount: Int, as key: String) async throws(S3Failure) {
        let upload = try await beginUpload(of: key)
        do throws(S3Failure) {
            let size = max(settings.partBytes, (byteCount + Self.maximumParts - 1) / Self.maximumParts)
            var parts: [String] = []
            for start in stride(from: 0, to: byteCount, by: size) {
                let content = try await S3Content(file, start..<min(start + size, byteCount))
                let response = try await send(
                    S3Request(
                        method: .PUT, key: key,
                        query: [("partNumber", "\(parts.count + 1)"), ("uploadId", upload)], content: content))
                guard let tag = response.headers.first(name: "etag") else {
                    throw .garbled("the answer to a part has no ETag")
                }
                parts.append(tag)
            }
            do throws(S3Failure) {
                try await completeUpload(upload, of: key, parts)
            } catch  where error.isMissingUpload {
                // The answer to an earlier request was lost: the size tells whether that one completed the upload.
            }
            guard try await hasSize(byteCount, key) else { throw .changed(expected: byteCount) }
        } catch {
            await abandonUpload(upload, of: key)
            throw error
        }
    }

    private func hasSize(_ byteCount: Int, _ key: String) async throws(S3Failure) -> Bool {
        try await send(S3Request(method: .HEAD, key: key)).headers.first(name: "content-length") == "\(byteCount)"
    }

    private func beginUpload(of key: String) async throws(S3Failure) -> String {
        let response = try await send(S3Request(method: .POST, key: key, query: [("uploads", "")]))
        guard let root = S3XML.root(of: response.content), let upload = root["UploadId"], !upload.isEmpty else {
            throw .garbled("the answer to the beginning of an upload has no ID")
        }
        return upload
    }

    private func completeUpload(_ upload: String, of key: String, _ tags: [String]) async throws(S3Failure) {
        let parts = tags.enumerated().map { number, tag in
            "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(S3XML.escaped(tag))</ETag></Part>"
        }
        let body =
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(parts.joined())"
            + "</CompleteMultipartUpload>"
        var request = S3Request(
            method: .POST, key: key, query: [("uploadId", upload)], content: S3Content(data: Data(body.utf8)))
        request.headers = [("content-type", "application/xml")]
        request.mayFailLate = true
        try await send(request)
    }

    /// Deletes the parts, even if the task was cancelled.
    ///
    /// After a failure they remain for ``abandonUploads(begunBefore:)``.
    private func abandonUpload(_ upload: String, of key: String) async {
        // A task of its own, so that it isn't cancelled. The deadlines of requests end it.
        await Task {
            _ = try? await self.send(S3Request(method: .DELETE, key: key, query: [("uploadId", upload)]))
        }.value
    }

    /// Deletes the parts of uploads that a killed process has left.
    ///
    /// - Parameter limit: Uploads that began later aren't changed.
    /// - Throws: ``StoreError``.
    package func abandonUploads(begunBefore limit: Date) async throws(StoreError) {
        var (keyMarker, uploadMarker) = ("", "")
        repeat {
            let page = try await uploads(after: keyMarker, uploadMarker)
            for upload in page.uploads where upload.begun < limit {
                do throws(S3Failure) {
                    try await send(
                        S3Request(method: .DELETE, key: upload.key, query: [("uploadId", upload.id)]))
                } catch {
                    guard error.isMissingUpload else { throw error.storeError(at: address) }
                }
            }
            guard let next = page.next, next != (keyMarker, uploadMarker) else { return }
            (keyMarker, uploadMarker) = next
        } while true
    }

    private func uploads(
        after key: String, _ upload: String
    ) async throws(StoreError) -> (uploads: [(key: String, id: String, begun: Date)], next: (String, String)?) {
        do throws(S3Failure) {
            var query = [("uploads", ""), ("prefix", address.prefix)]
            if !key.isEmpty { query += [("key-marker", key), ("upload-id-marker", upload)] }
            let response = try await send(S3Request(method: .GET, key: nil, query: query))
            guard let root = S3XML.root(of: response.content), root.name == "ListMultipartUploadsResult" else {
                throw .garbled("a list of uploads isn't one")
            }
            let uploads = root.all("Upload").compactMap { item -> (key: String, id: String, begun: Date)? in
                guard let key = item["Key"].flatMap(name), let id = item["UploadId"],
                    let begun = item["Initiated"].flatMap(Self.date)
                else { return nil }
                return (key, id, begun)
            }
            guard root["IsTruncated"] == "true", let next = root["NextKeyMarker"], !next.isEmpty else {
                return (uploads, nil)
            }
            return (uploads, (next, root["NextUploadIdMarker"] ?? ""))
        } catch {
            throw error.storeError(at: address)
        }
    }
}

extension S3Failure {
    fileprivate var isMissingUpload: Bool {
        if case .refused(_, let code, _) = self { return code == "NoSuchUpload" }
        return false
    }
}
