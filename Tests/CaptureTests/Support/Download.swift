import Foundation
import Subprocess
import Testing

/// Downloads a file with curl.
func download(_ url: URL) async throws -> Data {
    let result = try await run(
        .name("curl"), arguments: ["--silent", "--show-error", "--fail", url.absoluteString],
        output: .data(limit: 100_000_000), error: .string(limit: 100_000))
    try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
    return result.standardOutput
}
