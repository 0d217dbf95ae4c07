import ArgumentParser
import Foundation
import Persistence
import Subprocess

/// The options that say where data is that several servers share.
struct StorageOptions: ParsableArguments {
    @Option(help: CommandWords.database)
    var database: String?

    @Option(help: CommandWords.blobs)
    var blobs: String?

    /// Where the data is.
    ///
    /// - Throws: `ValidationError` if an address is invalid.
    func address(environment: [String: String]) throws -> StorageAddress {
        do throws(StoreError) {
            return try StorageAddress(
                database: database ?? environment["MEANWHILE_DATABASE"],
                blobs: blobs ?? environment["MEANWHILE_BLOBS"], environment: environment)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Changes to the environment of a worker, which uses the same data.
    ///
    /// The addresses aren't arguments, which all people at this computer could read.
    static func environment(of address: StorageAddress) -> [Environment.Key: String?] {
        ["MEANWHILE_DATABASE": address.database?.text, "MEANWHILE_BLOBS": address.blobs?.text]
    }

    /// Changes to the environment of a job's process, which uses no data, and which what it parses may take over.
    static let withheld: [Environment.Key: String?] = [
        "MEANWHILE_DATABASE": nil, "MEANWHILE_BLOBS": nil, "PGPASSWORD": nil, "AWS_ACCESS_KEY_ID": nil,
        "AWS_SECRET_ACCESS_KEY": nil, "AWS_SESSION_TOKEN": nil,
    ]
}
