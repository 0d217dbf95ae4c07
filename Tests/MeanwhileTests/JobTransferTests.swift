import Foundation
import Futures
import Persistence
import S3
import ServedS3
import Testing

@testable import Meanwhile

/// The files of jobs on their way between a server and a worker with data folders of their own.
@Suite(.timeLimit(.minutes(10))) struct JobTransferTests {
    /// One of the two machines.
    private struct Machine {
        let data: DataFolder
        let transfer: JobTransfer

        func output(_ name: String) -> JobFolder {
            var folder = data.jobs
            folder.transfer = transfer
            return folder.output(name)
        }
    }

    private func withMachines(
        _ body: (_ server: Machine, _ worker: Machine, _ files: S3Files) async throws -> Void
    ) async throws {
        try await Workspace.with { workspace in
            let files = S3Files(try await ServedS3.seaweedFS.client())
            func machine(_ name: String) throws -> Machine {
                let data = try DataFolder.open(at: "\(workspace.root)/\(name)")
                return Machine(data: data, transfer: JobTransfer(through: files, folder: data))
            }
            try await body(try machine("server"), try machine("worker"), files)
        }
    }

    @Test func outputReachesTheServer() async throws {
        try await withMachines { server, worker, files in
            let (sent, received) = (worker.output("1-1"), server.output("1-1"))
            try sent.make()
            try sent.write(Data("PNG".utf8), as: "png")
            try sent.write(Data(), as: "text")
            try await worker.transfer.send(output: sent)
            // The second time, it is in the folder.
            for _ in 0..<2 { try await server.transfer.receive(output: received) }
            #expect(try received.read("png", upTo: 10) == Data("PNG".utf8))
            #expect(try received.read("text", upTo: 10).isEmpty)
            await server.transfer.remove(output: "1-1")
            #expect(try await files.list("").isEmpty)
        }
    }

    @Test func inputReachesTheWorkerUnlessItIsInItsFolder() async throws {
        try await withMachines { server, worker, files in
            let file = try IncomingFile(in: server.data.incoming, leaving: .bytes(0))
            try file.append(Data("an upload".utf8))
            let input = try #require(server.data.relative(file.path))
            try await server.transfer.send(input: input)
            let copy = try #require(try await worker.transfer.receive(input: input))
            #expect(try Data(contentsOf: URL(filePath: copy)) == Data("an upload".utf8))
            #expect(try await server.transfer.receive(input: input) == nil)
            await server.transfer.remove(input: input)
            #expect(try await files.list("").isEmpty)
            let error = await #expect(throws: StoreError.self) { try await worker.transfer.receive(input: input) }
            #expect(error?.code == .missing)
        }
    }

    /// The process of a job may be compromised.
    @Test(arguments: ["link", "name with spaces", String(repeating: "n", count: 65)])
    func disorderlyOutputIsRefused(name: String) async throws {
        try await withMachines { _, worker, files in
            let output = worker.output("1-1")
            try output.make()
            let secret = "\(worker.data.path)/secret"
            try Data("a password".utf8).write(to: URL(filePath: secret))
            if name == "link" {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(output.path)/link", withDestinationPath: secret)
            } else {
                try output.write(Data(), as: name)
            }
            let error = await #expect(throws: StoreError.self) { try await worker.transfer.send(output: output) }
            // The attempt fails for good: another one would do the same.
            #expect(error?.code == .corrupt)
            #expect(try await files.list("").isEmpty)
        }
    }

    /// An attacker may control the bucket.
    @Test(arguments: [[Int.max, 1], [-1], [5 << 30]])
    func filesOfInvalidSizesAreRefused(sizes: [Int]) async throws {
        try await Workspace.with { workspace in
            let data = try DataFolder.open(at: "\(workspace.root)/server")
            let transfer = JobTransfer(through: ClaimedObjects(sizes: sizes), folder: data)
            let error = await #expect(throws: StoreError.self) {
                try await transfer.receive(output: data.jobs.output("1-1"))
            }
            #expect(error?.code == .corrupt)
            let inputError = await #expect(throws: StoreError.self) { try await transfer.receive(input: "incoming/1") }
            #expect(inputError?.code == .corrupt)
        }
    }

    @Test func copyIsRepeatedUntilTheBucketAnswers() async throws {
        try await withMachines { server, worker, _ in
            let output = worker.output("1-1")
            try output.make()
            try output.write(Data("PNG".utf8), as: "png")
            let failures = Lock(0)
            try await worker.transfer.untilDone { () async throws(StoreError) in
                if failures.withLock({
                    $0 += 1
                    return $0
                }) < 3 {
                    throw StoreError(.timedOut, "The bucket is away.")
                }
                try await worker.transfer.send(output: output)
            }
            #expect(failures.withLock(\.self) == 3)
            let error = await #expect(throws: StoreError.self) {
                try await server.transfer.untilDone { () async throws(StoreError) in
                    throw StoreError(.missing, "The object is lost.")
                }
            }
            #expect(error?.code == .missing)
        }
    }

    @Test func sweepRemovesRemains() async throws {
        try await withMachines { server, worker, files in
            for name in ["1-1", "2-1"] {
                let output = worker.output(name)
                try output.make()
                try output.write(Data("PNG".utf8), as: "png")
                try await worker.transfer.send(output: output)
            }
            let file = try IncomingFile(in: server.data.incoming, leaving: .bytes(0))
            let input = try #require(server.data.relative(file.path))
            try await server.transfer.send(input: input)
            let outputs = ["outputs/1-1/png", "outputs/2-1/png"]
            await server.transfer.sweep(keeping: [], olderThan: Date(timeIntervalSinceNow: -600))
            #expect(try await files.list("").map(\.name).sorted() == [input] + outputs)
            await server.transfer.sweep(keeping: ["2-1"], olderThan: Date(timeIntervalSinceNow: 600))
            #expect(try await files.list("").map(\.name).sorted() == [input, outputs[1]])
            await server.transfer.sweep(keeping: ["2-1"], olderThan: Date(timeIntervalSinceNow: 90_000))
            #expect(try await files.list("").map(\.name) == [outputs[1]])
        }
    }
}

/// A store that only claims to have objects.
private struct ClaimedObjects: TemporaryObjects {
    let sizes: [Int]

    func put(_ name: String, file path: String, byteCount: Int) async throws(StoreError) {}
    func get(_ name: String, byteCount: Int, into path: String) async throws(StoreError) {}
    func delete(_ names: [String]) async throws(StoreError) {}

    func list(_ prefix: String) async throws(StoreError) -> [TemporaryObject] {
        sizes.enumerated().map {
            // A prefix without a slash at its end is the whole name of an input.
            let name = prefix.hasSuffix("/") ? "\(prefix)\($0.offset)" : prefix
            return TemporaryObject(name: name, byteCount: $0.element, modified: Date())
        }
    }
}
