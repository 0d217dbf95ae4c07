import Formats
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Persistence
import Site

/// The page “Your data”.
///
/// It shows how much is stored, lists and downloads backups and unreadable data that was set aside, and starts
/// backups.
struct DataPages: SiteModule {
    static let path = "/data/"

    private let storage: Storage
    private let schedule: BackupSchedule?
    private let templates: Templates
    private let logger = Logger(label: "meanwhile.data")

    /// - Throws: An error if the template is invalid.
    init(_ storage: Storage, schedule: BackupSchedule?) throws {
        self.storage = storage
        self.schedule = schedule
        self.templates = try Templates(
            [
                "blobs": PackageResources.blobs_mustache, "data": PackageResources.data_mustache,
                "folder": PackageResources.folder_mustache,
                "palettes": PackageResources.palettes_mustache, "path": PackageResources.path_mustache,
                "restore": PackageResources.restore_mustache, "serve": PackageResources.serve_mustache,
                "time": PackageResources.time_mustache, "verify": PackageResources.verify_mustache,
            ], words: DataWords.dataTemplates)
    }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        let data = router.group("/data")
        data.get("/") { _, context in try await page(context, layout) }
        data.post("/backups") { _, context in
            try Self.checkAdministrator(context)
            guard let schedule else { throw Self.noBackups }
            await schedule.begin()
            return Response(status: .seeOther, headers: [.location: "\(Self.path)#backups"])
        }
        data.get("/backups/:name") { _, context in try await backup(context) }
        data.get("/set-aside/folders/:name") { _, context in try await folder(context) }
        data.get("/set-aside/values/:id") { _, context in try await value(context) }
    }

    /// Stores the files of a folder from before blobs were stored in a bucket, and backs up on schedule until the task is
    /// cancelled.
    func run() async {
        do throws(StoreError) {
            let (stored, missing) = try await storage.blobs.uploadFiles()
            if stored > 0 { logger.notice("Stored files in the bucket", metadata: ["count": "\(stored)"]) }
            if !missing.isEmpty {
                logger.error(
                    "Some files are neither in the bucket nor in the data folder",
                    metadata: ["count": "\(missing.count)", "first": "\(missing[0])"])
            }
        } catch {
            if error.code != .cancelled {
                logger.error("Could not store files in the bucket", metadata: ["error": "\(error)"])
            }
        }
        await schedule?.run()
    }

    /// Backups and damaged databases contain the data of all people, so only administrators see that they exist.
    private static func checkAdministrator(_ context: SiteContext) throws(Problem) {
        if !context.isAdministrator { throw fileNotFound }
    }

    private static let noBackups = Problem(
        .conflict, title: DataWords.backupsAreOff, detail: DataWords.backupsAreOffDetail)
}

// MARK: - The page

extension DataPages {
    private func page(_ context: SiteContext, _ layout: Layout) async throws -> Response {
        let isAdministrator = context.isAdministrator
        var backups: ScheduleView?
        if let schedule, isAdministrator { backups = try await ScheduleView(schedule) }
        let folders = isAdministrator ? try await storage.folder.setAsideFolders() : []
        let records = try await setAsideValues(for: context)
        let view = DataView(
            path: isAdministrator ? storage.folder.path : nil, isAdministrator: isAdministrator,
            use: try await StorageUse(of: context.owner, in: storage).bars, schedule: backups,
            jobs: Link(JobPages.path), activity: Link(AuditModule.path),
            folders: folders.map { folder in
                FolderView(
                    path: folder.path, size: ReaderFormats.current.size(folder.bytes),
                    files: DataWords.files(folder.files.count),
                    link: Link("\(Self.path)set-aside/folders/\(folder.name)"))
            },
            values: records.map { record in
                ValueView(
                    key: record.key, reason: record.reason, time: HTML.time(record.time),
                    size: ReaderFormats.current.size(record.bytes),
                    link: Link("\(Self.path)set-aside/values/\(record.id)"))
            },
            hasNothingSetAside: folders.isEmpty && records.isEmpty, isInFolder: storage.sqlite != nil,
            server: storage.sqlite == nil ? ServerView(address: storage.database.name) : nil)
        var response = layout.page(
            title: DataWords.yourData, heading: DataWords.yourData, content: templates.render("data", view))
        response.headers[.cacheControl] = "no-store"
        // The browser reloads the page while a backup runs, without a script.
        if backups?.progress != nil, let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "2" }
        return response
    }

    /// The values of the request's owner that were set aside, and for an administrator also those that all owners share.
    private func setAsideValues(for context: SiteContext) async throws -> [SetAsideValue] {
        try await storage.database.setAsideValues().filter { value in
            value.owner == context.owner || context.isAdministrator && value.owner == ArtParts.sharedOwner
        }
    }

    fileprivate static func interval(_ seconds: TimeInterval) -> String {
        let hours = seconds / 3_600
        if hours == 24 { return DataWords.everyDay }
        return hours == 1 ? DataWords.everyHour : DataWords.everyHours(hours)
    }
}

// MARK: - Values of the template

private struct DataView {
    let path: String?
    let isAdministrator: Bool
    let use: [StorageUse.Bar]
    let schedule: ScheduleView?
    let jobs: Link
    let activity: Link
    let folders: [FolderView]
    let values: [ValueView]
    let hasNothingSetAside: Bool
    /// Whether the database is in the data folder.
    let isInFolder: Bool
    /// The server of the database, if it isn't.
    let server: ServerView?
}

/// A PostgreSQL server.
private struct ServerView {
    let address: String
}

/// A whole database that was set aside.
private struct FolderView {
    let path: String
    let size: String
    let files: String
    let link: Link
}

/// A value that was set aside.
private struct ValueView {
    let key: String
    let reason: String
    let time: HTML
    let size: String
    let link: Link
}

private struct ScheduleView {
    struct Progress {
        let percent: Int
        let text: String
    }

    struct Failure {
        let message: String
        let time: HTML
    }

    let folder: String
    let create = Link("\(DataPages.path)backups")
    let interval: String
    let hasNone: Bool
    let last: BackupView?
    let hasOlder: Bool
    let older: [BackupView]
    let progress: Progress?
    let failure: Failure?

    init(_ schedule: BackupSchedule) async throws {
        let status = await schedule.status
        let entries = try await schedule.folder.entries()
        folder = schedule.folder.path
        interval = DataPages.interval(schedule.interval)
        hasNone = entries.isEmpty && !status.isRunning
        if let newest = entries.first {
            last = await BackupView(newest, readIn: schedule.folder)
        } else {
            last = nil
        }
        hasOlder = entries.count > 1
        older = entries.dropFirst().map { BackupView($0) }
        if status.isRunning {
            let (done, total) = (status.progress?.doneBytes ?? 0, status.progress?.totalBytes ?? 0)
            progress = Progress(
                percent: total > 0 ? Int(Double(done) / Double(total) * 100) : 0,
                text: total > 0 ? DataWords.size(done, of: total) : DataWords.starting)
        } else {
            progress = nil
        }
        failure = status.failure.map { Failure(message: $0.message, time: HTML.time($0.date)) }
    }
}

private struct BackupView {
    struct Content {
        let database: String
        let files: String
    }

    let time: HTML
    let size: String
    let link: Link
    var content: Content?
    var missing: String?
    var problem: String?

    init(_ entry: BackupFolder.Entry) {
        time = HTML.time(entry.created)
        size = ReaderFormats.current.size(entry.bytes)
        link = Link("\(DataPages.path)backups/\(entry.name)")
    }

    /// Also reads the backup's summary, or the reason why it can't be read.
    init(_ entry: BackupFolder.Entry, readIn folder: BackupFolder) async {
        self.init(entry)
        do throws(StoreError) {
            let summary = try await Backup.summary(of: "\(folder.path)/\(entry.name)")
            content = Content(
                database: ReaderFormats.current.size(summary.databaseBytes),
                files: summary.fileCount == 0
                    ? DataWords.none : DataWords.files(summary.fileCount, bytes: summary.fileBytes))
            if !summary.missing.isEmpty { missing = DataWords.files(summary.missing.count) }
        } catch {
            problem = error.message
        }
    }
}

// MARK: - Downloads

extension DataPages {
    private static let fileNotFound = Problem(
        .notFound, title: DataWords.noFile, detail: DataWords.noFileDetail)

    private static func headers(_ name: String, ending: String, type: String) -> HTTPFields {
        [
            .contentType: type, .cacheControl: "no-store",
            .contentDisposition: DownloadName(name, ending: ending).disposition,
        ]
    }

    private func backup(_ context: SiteContext) async throws -> Response {
        try Self.checkAdministrator(context)
        guard let schedule, let name = context.parameters.get("name"),
            let path = try await schedule.folder.path(of: name)
        else { throw Self.fileNotFound }
        let body: ResponseBody
        do {
            body = try await FileIO().loadFile(
                path: path, context: context, chunkLength: SiteLimits.fileChunkBytes)
        } catch {
            throw Self.fileNotFound
        }
        return Response(
            status: .ok,
            headers: Self.headers(String(name.dropLast(".tar".count)), ending: "tar", type: "application/x-tar"),
            body: body)
    }

    private func folder(_ context: SiteContext) async throws -> Response {
        try Self.checkAdministrator(context)
        guard let name = context.parameters.get("name"),
            let folder = try await storage.folder.setAsideFolders().first(where: { $0.name == name })
        else { throw Self.fileNotFound }
        let pieces = folder.archive()
        return Response(
            status: .ok, headers: Self.headers(name, ending: "tar", type: "application/x-tar"),
            body: ResponseBody(contentLength: Int(folder.archiveBytes)) { writer in
                for try await piece in pieces { try await writer.write(ByteBuffer(bytes: piece)) }
                try await writer.finish(nil)
            })
    }

    private func value(_ context: SiteContext) async throws -> Response {
        guard let id = context.parameters.get("id").flatMap({ Int64($0) }),
            try await setAsideValues(for: context).contains(where: { $0.id == id }),
            let data = try await storage.database.setAsideBytes(of: id)
        else { throw Self.fileNotFound }
        return Response(
            status: .ok, headers: Self.headers("set-aside-\(id)", ending: "bin", type: "application/octet-stream"),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
