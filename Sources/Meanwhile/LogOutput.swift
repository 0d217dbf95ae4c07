import ArgumentParser
import Foundation
import Futures
import Logging
import Persistence

/// A log level, as an argument.
struct LogLevelName: ExpressibleByArgument {
    static let form = CommandWords.oneOf(Logger.Level.allCases.map(\.rawValue))

    var level: Logger.Level

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument.lowercased()) else { return nil }
        self.level = level
    }
}

/// The format of the log.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json

    static let form = CommandWords.oneOf(allCases.map(\.rawValue))
}

/// The options of the log of the server and of the processes that it starts.
struct LogOptions: ParsableArguments {
    @Option(help: CommandWords.logLevel)
    var logLevel: LogLevelName?

    @Option(help: CommandWords.logFormat)
    var logFormat: LogFormat?

    /// The options for a process that this one starts.
    var arguments: [String] {
        (logLevel.map { ["--log-level", $0.level.rawValue] } ?? [])
            + (logFormat.map { ["--log-format", $0.rawValue] } ?? [])
    }
}

/// The program's log, which goes to standard error with a label for each component.
enum LogOutput {
    /// The ID of the request for which the whole process works; a job's process works for one only.
    static let requestOfProcess = Lock<String?>(nil)

    /// Configures logging.
    ///
    /// - Throws: `ValidationError` if the environment contains an invalid level or format.
    static func start(
        _ level: LogLevelName?, _ format: LogFormat? = nil, environment: [String: String],
        defaultLevel: Logger.Level = .warning
    ) throws {
        let levelOfEnvironment = try environment.value(
            of: "--log-level", String?.none, takes: LogLevelName.form, parse: LogLevelName.init)
        let formatOfEnvironment = try environment.value(
            of: "--log-format", String?.none, takes: LogFormat.form, parse: LogFormat.init(rawValue:))
        let level = (level ?? levelOfEnvironment)?.level ?? defaultLevel
        let format = format ?? formatOfEnvironment ?? .text
        let request = Logger.MetadataProvider {
            (RequestID.current ?? requestOfProcess.withLock(\.self)).map { ["request": "\($0)"] } ?? [:]
        }
        LoggingSystem.bootstrap(
            { label, request in
                var handler: any LogHandler =
                    switch format {
                    case .text: StreamLogHandler.standardError(label: label, metadataProvider: request)
                    case .json: JSONLogHandler(label: label, metadataProvider: request)
                    }
                handler.logLevel = level
                return handler
            }, metadataProvider: request)
    }
}

/// Writes each message to standard error as a line of JSON.
///
/// The line has the names `time`, `level`, `component` and `message`, and those of the metadata, with texts as values.
struct JSONLogHandler: LogHandler {
    private static let ownNames = ["time", "level", "component", "message"]

    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let write: @Sendable (Data) -> Void

    init(
        label: String, metadataProvider: Logger.MetadataProvider?,
        write: @escaping @Sendable (Data) -> Void = { try? FileHandle.standardError.write(contentsOf: $0) }
    ) {
        (self.label, self.metadataProvider, self.write) = (label, metadataProvider, write)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var values = metadata
        for more in [metadataProvider?.get() ?? [:], event.metadata ?? [:]] { values.merge(more) { $1 } }
        var line: [String: String] = [:]
        for (name, value) in values { line[Self.ownNames.contains(name) ? "metadata.\(name)" : name] = "\(value)" }
        line["time"] = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        line["level"] = event.level.rawValue
        line["component"] = label
        line["message"] = "\(event.message)"
        if let error = event.error { line["error"] = "\(error)" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(line) else { return }
        // One call, so that the lines of several threads and processes don't mix.
        write(json + Data("\n".utf8))
    }
}
