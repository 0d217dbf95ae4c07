import ArgumentParser
import Logging

/// A log level, as an argument.
struct LogLevelName: ExpressibleByArgument {
    static let form = CommandWords.oneOf(Logger.Level.allCases.map(\.rawValue))

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
        _ option: LogLevelName?, environment: [String: String], defaultLevel: Logger.Level = .warning
    ) throws {
        let fromEnvironment = try environment.value(
            of: "--log-level", String?.none, takes: LogLevelName.form, parse: LogLevelName.init)
        let level = (option ?? fromEnvironment)?.level ?? defaultLevel
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
    }
}
