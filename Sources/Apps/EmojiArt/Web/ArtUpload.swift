import Foundation
import Hummingbird
import NIOCore
import Site

/// Takes what a request brings, up to a limit.
enum ArtUpload {
    /// All of it, in memory.
    ///
    /// Whatever is larger ends it as soon as that is known: at once, where the request says how much it brings.
    ///
    /// - Parameters:
    ///   - request: What brings it.
    ///   - limit: How many bytes are taken at most.
    ///   - problem: What to say where it is more.
    ///   - look: Inspects the bytes received so far: at sizes that grow by at least a quarter, and once at the end.
    /// - Returns: What it brought.
    /// - Throws: The problem, what `look` throws, or what the connection does.
    static func data(
        of request: Request, upTo limit: Int, orElse problem: Problem,
        look: (_ soFar: Data, _ isComplete: Bool) throws -> Void = { _, _ in }
    ) async throws -> Data {
        let told = request.headers[.contentLength].flatMap { Int($0) }
        if let told, told > limit { throw problem }
        var data = Data()
        // Not what was told: that may be anything.
        data.reserveCapacity(min(told ?? 0, 1 << 20))
        var nextLook = 1
        for try await piece in request.body {
            guard data.count + piece.readableBytes <= limit else { throw problem }
            data.append(contentsOf: piece.readableBytesView)
            // Each look reads from the first byte. Because the sizes grow by a quarter, all looks together read at most five
            // times the request's bytes, however small its pieces are.
            guard data.count >= nextLook else { continue }
            try look(data, false)
            nextLook = data.count + max(data.count / 4, 1)
        }
        try look(data, true)
        return data
    }
}
