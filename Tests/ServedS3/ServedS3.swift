import Foundation
import Futures
package import S3

/// Services that speak S3, for the tests of this process; they end with the process.
package enum ServedS3: String, CaseIterable, Sendable, CustomStringConvertible {
    /// Imitates AWS, but accepts any access key.
    case moto
    /// Stores the objects of a cluster.
    case seaweedFS

    package var description: String { rawValue }
}

extension ServedS3 {
    private struct ServerError: Error, CustomStringConvertible {
        let description: String
    }

    private static let servers = Lock<[ServedS3: Task<Int, any Error>]>([:])

    /// The access key that SeaweedFS accepts.
    package static let credentials = S3Credentials(keyID: "AKIDTESTS", secret: "right")

    /// The address of a part of a bucket, which is empty for each new prefix; the first call starts the service.
    package func address(prefix: String = UUID().uuidString.lowercased()) async throws -> S3Address {
        try S3Address("s3://tests/\(prefix)?endpoint=http://127.0.0.1:\(try await port())")
    }

    /// A client of an empty part of a bucket, with the smallest parts of uploads, and long limits for busy machines.
    package func client() async throws -> S3Client {
        S3Client(try await address(), credentials: Self.credentials, settings: Self.settings)
    }

    /// The settings of clients of tests.
    package static var settings: S3Client.Settings {
        var settings = S3Client.Settings()
        settings.partBytes = 5 << 20
        settings.connectLimit = .seconds(600)
        settings.timeLimit = .seconds(600)
        return settings
    }

    private func port() async throws -> Int {
        let task = Self.servers.withLock { servers in
            if let task = servers[self] { return task }
            let task = Task { try await start() }
            servers[self] = task
            return task
        }
        return try await task.value
    }
}

// MARK: - Processes

extension ServedS3 {
    private static let programs = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../.build/python-s3/bin").standardizedFileURL.path()

    private func start() async throws -> Int {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [
            "-c", Self.script, "bash", "\(ProcessInfo.processInfo.processIdentifier)", Self.programs, rawValue,
        ]
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let text = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = output.fileHandleForReading.availableData
                continuation.resume(
                    returning: String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
        guard let port = Int(text) else {
            throw ServerError(description: "\(self) can't be started. Run script/bootstrap. \(text)")
        }
        return port
    }

    /// Prints the port of a service once its bucket `tests` exists, or why it doesn't.
    ///
    /// The service ends with the process whose ID is the first argument. The second one is the folder of the programs,
    /// and the third one is the service's name. SeaweedFS consists of four servers with two ports each; two more,
    /// whose ports would be the same in every process, are off.
    private static let script = #"""
        folder=$(mktemp -d /tmp/meanwhile-s3-XXXXXX)
        server=
        trap '[[ -z $server ]] || kill -KILL $server 2>/dev/null; rm -rf "$folder"' EXIT
        cd "$folder"
        echo '{"identities": [{"name": "tests", "credentials": [{"accessKey": "AKIDTESTS", "secretKey": "right"}],
            "actions": ["Admin", "Read", "Write", "List"]}]}' >keys
        free() { ! (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
        for ((attempt = 0; attempt < 20; attempt++)); do
            # Never a port that the system gives to a client of another test.
            port=$((20000 + RANDOM % 11900))
            for ((i = 0; i < 8; i++)); do free $((port + i)) || continue 2; done
            if [[ $3 == moto ]]; then
                "$2/moto_server" --host 127.0.0.1 --port $port >log 2>&1 &
                server=$!
                bucket=http://127.0.0.1:$port/tests
            else
                mkdir -p data
                "$2/weed" server -dir data -ip 127.0.0.1 -ip.bind 127.0.0.1 -master.telemetry=false \
                    -master.volumeSizeLimitMB 64 -volume.max 100 -s3 -s3.config keys -s3.port $port \
                    -s3.port.iceberg=0 -s3.port.lance=0 \
                    -s3.port.grpc $((port + 1)) -master.port $((port + 2)) -master.port.grpc $((port + 3)) \
                    -volume.port $((port + 4)) -volume.port.grpc $((port + 5)) -filer.port $((port + 6)) \
                    -filer.port.grpc $((port + 7)) -s3.localSocket "$folder/s3" -filer.localSocket "$folder/filer" \
                    >log 2>&1 &
                server=$!
                # The folder of the bucket.
                bucket=http://127.0.0.1:$((port + 6))/buckets/tests/
            fi
            for ((i = 0; i < 600; i++)); do
                method=PUT
                [[ $3 == moto ]] || method=POST
                # An existing bucket can't be created, so this is last.
                if curl --silent --output /dev/null --max-time 5 "http://127.0.0.1:$port/" &&
                    curl --silent --fail --output /dev/null --max-time 5 --request $method "$bucket"; then
                    echo $port
                    exec 1>/dev/null
                    tail --pid "$1" -f /dev/null
                    exit
                fi
                kill -0 $server 2>/dev/null || break
                sleep 0.1
            done
            kill -KILL $server 2>/dev/null
            wait $server
        done
        echo "$3 doesn't start: $(tail -3 log | tr '\n' ' ')"
        """#
}
