import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Persistence
import Site

/// The page “Your data”: shows how much is stored, lists and downloads backups and unreadable data that was set aside, and starts a
/// backup.
struct DataPages: SiteModule {
    static let path = "/data/"

    private let database: Database
    private let schedule: BackupSchedule?
    private let templates: Templates

    /// - Throws: What is wrong with the template.
    init(database: Database, schedule: BackupSchedule?) throws {
        self.database = database
        self.schedule = schedule
        self.templates = try Templates(["data": PackageResources.data_mustache])
    }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        let data = router.group("/data")
        data.get("/") { _, _ in try await page(layout) }
        data.post("/backups") { _, _ in
            guard let schedule else { throw Self.noBackups }
            await schedule.begin()
            return Response(status: .seeOther, headers: [.location: Self.path])
        }
        data.get("/backups/:name") { _, context in try await backup(context) }
        data.get("/set-aside/folders/:name") { _, context in try await folder(context) }
        data.get("/set-aside/values/:id") { _, context in try await value(context) }
    }

    /// Backs up on schedule.
    func run() async { await schedule?.run() }

    private static let noBackups = Problem(
        .conflict, title: "Backups are off",
        detail: "Restart the server with a backup folder, as in: meanwhile serve --backup-folder /srv/backups")
}

// MARK: - The page

extension DataPages {
    private func page(_ layout: Layout) async throws -> Response {
        var values: [String: Any] = [:]
        var isRunning = false
        if let schedule {
            let status = await schedule.status
            isRunning = status.isRunning
            values["schedule"] = try await self.values(of: schedule, status)
        }
        let folders = try await database.folder.setAsideFolders()
        let records = try await database.setAsideValues()
        values["folders"] = folders.map { folder -> [String: Any] in
            [
                "name": folder.name, "path": folder.path, "size": Self.size(folder.bytes),
                "files": Self.count(folder.files.count, "file"),
                "link": Link("\(Self.path)set-aside/folders/\(folder.name)"),
            ]
        }
        values["values"] = records.map { record -> [String: Any] in
            [
                "key": record.key, "reason": record.reason, "time": Self.time(record.time),
                "size": Self.size(Int64(record.bytes)), "link": Link("\(Self.path)set-aside/values/\(record.id)"),
            ]
        }
        values["hasNothingSetAside"] = folders.isEmpty && records.isEmpty
        values["path"] = database.folder.path
        values["use"] = try await StorageUse(of: database).values
        values["jobs"] = Link(JobPages.path)
        let content = templates.render("data", values)
        var response = layout.page(title: "Your data", heading: "Your data", content: content)
        response.headers[.cacheControl] = "no-store"
        // The browser reloads the page while a backup runs, without a script.
        if isRunning, let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "2" }
        return response
    }

    private func values(of schedule: BackupSchedule, _ status: BackupSchedule.Status) async throws -> [String: Any] {
        let entries = try await schedule.folder.entries()
        var values: [String: Any] = [
            "folder": schedule.folder.path, "create": Link("\(Self.path)backups"),
            "interval": Self.interval(schedule.interval), "hasNone": entries.isEmpty && !status.isRunning,
            "hasOlder": entries.count > 1, "older": entries.dropFirst().map(Self.values),
        ]
        if status.isRunning {
            let (done, total) = (status.progress?.doneBytes ?? 0, status.progress?.totalBytes ?? 0)
            values["progress"] = [
                "percent": "\(total > 0 ? Int(Double(done) / Double(total) * 100) : 0)",
                "text": total > 0 ? "\(Self.size(done)) of \(Self.size(total))" : "starting",
            ]
        }
        if let failure = status.failure {
            values["failure"] = ["message": failure.message, "time": Self.time(failure.date)]
        }
        if let newest = entries.first {
            var last = Self.values(of: newest)
            do throws(PersistenceError) {
                let summary = try await Backup.summary(of: "\(schedule.folder.path)/\(newest.name)")
                last["content"] = [
                    "database": Self.size(summary.databaseBytes),
                    "files": summary.fileCount == 0
                        ? "None" : "\(Self.count(summary.fileCount, "file")), \(Self.size(summary.fileBytes))",
                ]
                if !summary.missing.isEmpty { last["missing"] = Self.count(summary.missing.count, "file") }
            } catch {
                last["problem"] = error.message
            }
            values["last"] = last
        }
        return values
    }

    private static func values(of entry: BackupFolder.Entry) -> [String: Any] {
        [
            "name": entry.name, "time": time(entry.created), "size": size(entry.bytes),
            "link": Link("\(path)backups/\(entry.name)"),
        ]
    }

    static func size(_ bytes: Int64) -> String { bytes.formatted(.byteCount(style: .file, spellsOutZero: false)) }

    private static func count(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }

    static func time(_ date: Date) -> String {
        date.formatted(date: .abbreviated, time: .shortened)
    }

    private static func interval(_ seconds: TimeInterval) -> String {
        let hours = seconds / 3_600
        return hours == 24 ? "every day" : hours == 1 ? "every hour" : "every \(hours.formatted()) hours"
    }
}

// MARK: - Downloads

extension DataPages {
    private static let gone = Problem(
        .notFound, title: "File not found",
        detail: "The file may have been deleted. Go back to “Your data” for the current list.")

    private static func headers(_ name: String, ending: String, type: String) -> HTTPFields {
        [
            .contentType: type, .cacheControl: "no-store",
            .contentDisposition: DownloadName(name, ending: ending).disposition,
        ]
    }

    private func backup(_ context: SiteContext) async throws -> Response {
        guard let schedule, let name = context.parameters.get("name"),
            let path = try await schedule.folder.path(of: name)
        else { throw Self.gone }
        let body: ResponseBody
        do {
            body = try await FileIO().loadFile(
                path: path, context: context, chunkLength: SiteLimits.fileChunkBytes)
        } catch {
            throw Self.gone
        }
        return Response(
            status: .ok,
            headers: Self.headers(String(name.dropLast(".tar".count)), ending: "tar", type: "application/x-tar"),
            body: body)
    }

    private func folder(_ context: SiteContext) async throws -> Response {
        guard let name = context.parameters.get("name"),
            let folder = try await database.folder.setAsideFolders().first(where: { $0.name == name })
        else { throw Self.gone }
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
            let data = try await database.setAsideBytes(of: id)
        else { throw Self.gone }
        return Response(
            status: .ok, headers: Self.headers("set-aside-\(id)", ending: "bin", type: "application/octet-stream"),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
