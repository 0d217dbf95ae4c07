import Formats

/// All that the pages “Your data” and “Background jobs” say to people.
///
/// docs/words.md explains how to change and add words. Values are formatted for the reader of the current task.
enum DataWords {
    private static var formats: ReaderFormats { .current }
}

// MARK: - Your data

extension DataWords {
    static let yourData = "Your data"
    static let backupsAreOff = "Backups are off"
    static let backupsAreOffDetail =
        "Restart the server with a backup folder, as in: meanwhile serve --backup-folder /srv/backups"
    static let noFile = "File not found"
    static let noFileDetail = "The file may have been deleted. Go back to “Your data” for the current list."
    static let everyDay = "every day"
    static let everyHour = "every hour"
    static let starting = "starting"
    /// The content of a backup without files.
    static let none = "None"
    static let filesUse = "Saved pages and pictures"
    static let pagesUse = "Pages"
    static let boardsUse = "Boards"
    static let drinksUse = "Drinks"
    static let diskUse = "Disk"

    static func everyHours(_ hours: Double) -> String { "every \(formats.number(hours)) hours" }
    static func files(_ count: Int) -> String { formats.count(count, "file") }
    static func files(_ count: Int, bytes: Int64) -> String { "\(files(count)), \(formats.size(bytes))" }
    static func amount(_ count: Int, of limit: Int) -> String {
        "\(formats.number(count)) of \(formats.number(limit))"
    }
    static func size(_ bytes: Int64, of limit: Int64) -> String { "\(formats.size(bytes)) of \(formats.size(limit))" }
    static func freeSize(_ bytes: Int64, of total: Int64, floor: Int64) -> String {
        "\(size(bytes, of: total)) free; Meanwhile keeps \(formats.size(floor)) free"
    }
}

// MARK: - Background jobs

extension DataWords {
    static let jobs = "Background jobs"
    static let notRetriable = "This job can't be retried here"
    static let notRetriableDetail = "Go back to where you started it, and try again there."
    static let interrupted = "Interrupted; retries in a moment"
    static let waiting = "Waiting"
    static let running = "Running"
    static let capture = "Save a page"
    static let viewerCopy = "Show a saved page"
    static let article = "Show the article of a saved page"
    static let pageText = "Read the text of a saved page"
    static let drawing = "Draw a board"
    static let pictureFetch = "Fetch a picture"
    static let pictureCheck = "Check a picture"
    static let boardFile = "Import a board"
    static let uploadedPage = "Make the files of an uploaded page"
    static let libraryFile = "Read a file for the library"
    static let pictureComparison = "Compare the pictures of two versions"

    static func attempt(_ number: Int, of state: String) -> String { "\(state), attempt \(number)" }
}

// MARK: - Templates

extension DataWords {
    private static let download = "Download"

    /// The words of the page “Your data”, and of the small templates that its sentences insert.
    static let dataTemplates: [String: [String: String]] = [
        "data": [
            "folder": "Meanwhile stores everything in the folder {{> path}}.",
            "storage": "Storage",
            "limits": """
            Deleted pages and boards count until they can no longer be restored. The limits are options of {{> serve}}.
            """,
            "backups": "Backups",
            "off": """
            Scheduled backups are off. To turn them on, restart the server with a backup folder, preferably on another \
            disk:
            """,
            "manual": "You can also run a backup yourself while the server runs:",
            "server": """
            The database is on a PostgreSQL server, which several servers of Meanwhile may share. Back it up with the \
            programs of PostgreSQL, for example as below, and then the folder {{> blobs}} in the data folder with any \
            program that copies files.
            """,
            "schedule": """
            Meanwhile backs up {{interval}} to {{> folder}}. It keeps the last three backups, and one for each of the \
            last seven days, four weeks and twelve months.
            """,
            "failed": "Backup failed on {{> time}}.",
            "running": "Backup running: {{text}}",
            "noBackups": "No backups yet.",
            "last": "Last backup: {{> time}}",
            "database": "Database",
            "files": filesUse,
            "missing": """
            {{missing}} were lost, damaged or unreadable during this backup. An older backup may still contain them.
            """,
            "downloadSize": "Download ({{size}})",
            "backUp": "Back up now",
            "older": "Older backups",
            "download": download,
            "restore": """
            To restore a backup, stop the server, move its data folder away, and run {{> restore}}. To check a backup, \
            run {{> verify}}.
            """,
            "jobs": jobs,
            "showActivity": "Show sign-ins, deletions and other activity",
            "showJobs": "Show running, waiting and failed jobs",
            "unreadable": "Unreadable data",
            "unreadableHint": """
            Meanwhile never overwrites or drops damaged data: it moves the data aside, unchanged, for you to download. \
            Unreadable palettes can also be restored or dismissed on the {{> palettes}}.
            """,
            "nothing": "No unreadable data.",
            "whole": "A whole database, {{files}}",
        ],
        "palettes": ["palettes": "palettes’ page"],
    ]

    /// The words of the page “Background jobs”.
    static let jobTemplates: [String: [String: String]] = [
        "jobs": [
            "intro": """
            Meanwhile saves pages, fetches pictures and reads files as background jobs. An interrupted job is retried, \
            up to three attempts in all.
            """,
            "stuck": "No worker is running these jobs.",
            "restart": "Restart the server without {{> noworker}}, or start a worker: {{> worker}}",
            "unfinished": "Running and waiting",
            "noJobs": "No jobs.",
            "reload": "Reload the page to see the current state.",
            "cancel": "Cancel",
            "more": "Only the first {{shownCount}} are shown.",
            "failed": "Failed",
            "noFailed": "No failed jobs.",
            "retry": "Retry",
            "dismiss": "Dismiss",
            "data": "Your data and backups",
        ]
    ]
}
