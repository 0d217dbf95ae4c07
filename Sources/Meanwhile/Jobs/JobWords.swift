import ArgumentParser

/// All that background jobs and the commands that run them say to people.
///
/// docs/words.md explains how to change and add words.
enum JobWords {
    static let workerAbstract = "Runs a server's background jobs: captures pages, fetches pictures, reads files."
    static let workerDiscussion = """
        `meanwhile serve` starts a worker itself. Start others in addition, or for a server with --no-worker. Each
        option can also be set in the environment: MEANWHILE_DATA, MEANWHILE_ALLOW, MEANWHILE_BROWSER_JOBS,
        MEANWHILE_OTHER_JOBS, MEANWHILE_FREE_DISK, MEANWHILE_LOG_LEVEL, MEANWHILE_LOG_FORMAT, MEANWHILE_CHROMIUM. Press
        Ctrl-C to stop the worker; another worker continues its jobs.
        """
    static let serverData: ArgumentHelp =
        "The data folder of the server. (default: meanwhile, in $XDG_DATA_HOME or ~/.local/share)"
    static let browserJobs: ArgumentHelp = """
        The number of pages that each worker captures at the same time; it also makes as many viewer copies and \
        drawings. (default: 2)
        """
    static let otherJobs: ArgumentHelp = """
        The number of pictures that each worker fetches at the same time; it also reads as many files. (default: 4)
        """
    static let jobAbstract = "Runs one job; a worker starts it."
    static let browser: ArgumentHelp = "Start Chromium before the job arrives."
    static let ownPort: ArgumentHelp = "A port of the server, which pages can't connect to."
    static let onlyByWorker =
        "Only `meanwhile worker` starts this command, with a socket as its standard input."
}

// MARK: - What happened to a process, after another sentence

extension JobWords {
    static let exited = "It exited."
    static let killed = "It was killed: by a person, because memory ran out, or because it took too long."
    static let tookProcessorTime = "It used more processor time than allowed."
    static let wroteTooMuch = "It wrote a larger file than allowed."

    static func exitedWithStatus(_ status: String) -> String { "It exited with status \(status)." }
    static func crashed(signal: String) -> String { "It crashed (signal \(signal))." }
    static func stopped(signal: String) -> String { "It was stopped by signal \(signal)." }
    static func notStarted(_ reason: String) -> String { "It couldn't be started: \(reason)" }
    static func noProcess(_ reason: String) -> String { "No process can be started: \(reason)" }
    static func inputNotOpened(_ reason: String) -> String { "Its input can't be opened: \(reason)" }
}

// MARK: - Why a job failed

extension JobWords {
    static let resultTooLong = "The result is too long."
    static let notFinished = "The job hasn't finished."
    static let inputElsewhere = "The input isn't in the data folder."
    static let notAFile = "The archive isn't a file."
    static let inputNotFound = "The job's input isn't in the bucket. Do the server and the worker use the same one?"
    static let inputTooLarge = "The job's input in the bucket has an invalid size."
    static let disorderlyOutput = "The job's output has too many files, or files with invalid names."

    static func jobNotStarted(_ reason: String) -> String { "Couldn’t start the job. \(reason)" }
    static func lost(_ end: String) -> String { "The job's process exited before the job was done. \(end)" }
    static func late(_ limit: String) -> String {
        "The job took longer than \(limit), so it was stopped. Try again."
    }
    static func unknownKind(_ kind: String) -> String { "This version can't do “\(kind)”." }
    static func inputNotRead(_ reason: String) -> String { "The job's input can't be read: \(reason)" }
    static func resultNotRead(_ reason: String) -> String { "The job's result can't be read: \(reason)" }
    static func outputNotSent(_ reason: String) -> String { "The job's output can't be stored: \(reason)" }
    static func filesNotUsable(_ reason: String) -> String { "The job's files can't be used: \(reason)" }
    static func pictureNotRead(_ reason: String) -> String { "The picture couldn't be read. \(reason)" }
    static func fileNotRead(_ reason: String) -> String { "The file couldn't be read. \(reason)" }
}

// MARK: - What a job works on, in the list of jobs

extension JobWords {
    static let archive = "the archive of a page"
    static let picture = "an uploaded picture"
    static let versionPictures = "the pictures of two versions"
    static let picturesTooLarge = "The pictures are too large to be compared."
    static let board = "an uploaded board"
    static let libraryFile = "an uploaded file"
}
