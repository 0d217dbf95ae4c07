import ArgumentParser
import Logging

/// How much is logged.
struct LogLevelName: ExpressibleByArgument {
    static let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")

    var level: Logger.Level

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument.lowercased()) else { return nil }
        self.level = level
    }
}

/// Where the program's log goes: to standard error, each actor's under its own label.
enum LogOutput {
    /// Begins to log.
    ///
    /// - Throws: `ValidationError`, if the environment names no level.
    static func start(
        _ option: LogLevelName?, environment: [String: String], usual: Logger.Level = .warning
    ) throws {
        var level = option?.level ?? usual
        if option == nil, let name = environment["MEANWHILE_LOG_LEVEL"], !name.isEmpty {
            guard let named = LogLevelName(argument: name) else {
                throw ValidationError("MEANWHILE_LOG_LEVEL is \(name), which is no level: \(LogLevelName.names).")
            }
            level = named.level
        }
        LoggingSystem.bootstrap { [level] label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
    }
}
