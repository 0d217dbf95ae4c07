import ArgumentParser
import Logging

/// A log level, as an argument.
struct LogLevelName: ExpressibleByArgument {
    static let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")

    var level: Logger.Level

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument.lowercased()) else { return nil }
        self.level = level
    }
}

/// The program's log, which goes to standard error with a label for each component.
enum LogOutput {
    /// Configures logging.
    ///
    /// - Throws: `ValidationError` if the environment contains an invalid level.
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
