import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program `meanwhile`.
@main
struct Meanwhile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meanwhile",
        abstract: CommandWords.abstract,
        version: CommandWords.version,
        subcommands: [
            ServeCommand.self, WorkerCommand.self, CaptureCommand.self, LibraryCommand.self, ArtCommand.self,
            CoffeeCommand.self,
            BackupCommand.self,
            RestoreCommand.self, VerifyCommand.self, JobCommand.self, UserCommand.self, TokenCommand.self,
            MigrateCommand.self,
            DoctorCommand.self,
        ])

    static func main() async {
        // Writing to a closed pipe (`| head`) must fail that write, not kill this process.
        signal(SIGPIPE, SIG_IGN)
        openMissingStandardStreams()
        // The command line is read in /proc. Without it, every command would show the overview.
        guard !CommandLine.arguments.isEmpty else {
            DataFolderOptions.printError(CommandWords.noProcesses)
            exit(withError: ExitCode(1))
        }
        await main(nil)
    }

    /// Opens the null device for each closed standard stream, so that no file opened later gets its descriptor.
    private static func openMissingStandardStreams() {
        for number in 0...2 where fcntl(Int32(number), F_GETFD) == -1 { _ = open("/dev/null", O_RDWR) }
    }
}
