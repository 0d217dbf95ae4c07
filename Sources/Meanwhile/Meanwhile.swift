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
        abstract: "Keeps what is on its way.",
        version: "0.1.0",
        subcommands: [
            ServeCommand.self, WorkerCommand.self, CaptureCommand.self, ArtCommand.self, CoffeeCommand.self,
            BackupCommand.self,
            RestoreCommand.self, VerifyCommand.self, JobCommand.self,
        ])

    static func main() async {
        // A reader that has gone (`| head`) is an error of that write, not the end of this process.
        signal(SIGPIPE, SIG_IGN)
        openMissingStandardStreams()
        await main(nil)
    }

    /// Puts nothing where a standard stream is closed, so that what is opened later does not get its number.
    private static func openMissingStandardStreams() {
        for number in 0...2 where fcntl(Int32(number), F_GETFD) == -1 { _ = open("/dev/null", O_RDWR) }
    }
}
