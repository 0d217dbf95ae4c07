import Accounts
import Persistence
import Site

/// The server module that writes the audit log.
struct AuditModule: SiteModule {
    /// The path of the page “Activity”.
    static let path = "/activity"

    /// The routes whose successful requests are recorded.
    static let routes: [String: AuditedRoute] = [
        "POST /library/pages/{id}/delete": AuditedRoute(.deleted, AuditedWords.page),
        "POST /library/pages/{id}/restore": AuditedRoute(.restored, AuditedWords.page),
        "POST /library/selection/delete": AuditedRoute(.deleted, AuditedWords.pages),
        "POST /library/selection/restore": AuditedRoute(.restored, AuditedWords.pages),
        "POST /library/import": AuditedRoute(.imported, AuditedWords.libraryFile),
        "POST /library/uploads/token": AuditedRoute(.tokenMade, AuditedWords.uploadToken),
        "POST /library/uploads/withdraw": AuditedRoute(.tokenRevoked, AuditedWords.uploadToken),
        "POST /art/boards/{id}/delete": AuditedRoute(.deleted, AuditedWords.board),
        "POST /art/boards/{id}/restore": AuditedRoute(.restored, AuditedWords.board),
        "POST /art/palettes/{store}/{palette}/delete": AuditedRoute(.deleted, AuditedWords.palette),
        "POST /art/palettes/{store}/{palette}/restore": AuditedRoute(.restored, AuditedWords.palette),
        "POST /art/import": AuditedRoute(.imported, AuditedWords.board),
        "POST /coffee/drinks/{id}/delete": AuditedRoute(.deleted, AuditedWords.drink),
        "POST /coffee/catalogue/delete": AuditedRoute(.deleted, AuditedWords.drinkKind),
        "DELETE /api/v1/library/pages/{id}": AuditedRoute(.deleted, AuditedWords.page),
        "DELETE /api/v1/art/boards/{id}": AuditedRoute(.deleted, AuditedWords.board),
        "DELETE /api/v1/art/palettes/{store}/{palette}": AuditedRoute(.deleted, AuditedWords.palette),
        "POST /api/v1/library/selection/delete": AuditedRoute(.deleted, AuditedWords.pages),
        "POST /api/v1/library/selection/restore": AuditedRoute(.restored, AuditedWords.pages),
        "POST /api/v1/library/imports": AuditedRoute(.imported, AuditedWords.libraryFile),
        "POST /api/v1/art/import": AuditedRoute(.imported, AuditedWords.board),
        "DELETE /api/v1/coffee/kinds/own/{id}": AuditedRoute(.deleted, AuditedWords.drinkKind),
        "POST /api/v1/library/pages/{id}/restore": AuditedRoute(.restored, AuditedWords.page),
        "POST /api/v1/art/boards/{id}/restore": AuditedRoute(.restored, AuditedWords.board),
        "POST /api/v1/art/palettes/{store}/{palette}/restore": AuditedRoute(.restored, AuditedWords.palette),
        "DELETE /api/v1/coffee/drinks/{id}": AuditedRoute(.deleted, AuditedWords.drink),
        "POST /samples/remove": AuditedRoute(.deleted, AuditedWords.samples),
        "POST /data/backups": AuditedRoute(.backupStarted, ""),
        "GET /data/backups/{name}": AuditedRoute(.backupDownloaded, AuditedWords.backup),
        "GET /data/set-aside/folders/{name}": AuditedRoute(.backupDownloaded, AuditedWords.setAside),
        "GET /data/set-aside/values/{id}": AuditedRoute(.backupDownloaded, AuditedWords.setAside),
    ]

    private let log: AuditLog

    init(_ log: AuditLog) {
        self.log = log
    }

    func run() async { await log.run() }
    /// Events that couldn't be written are tried again.
    func tidy() async throws { try await log.write() }
    func shutDown() async { try? await log.write() }
}

extension AuditLog {
    /// Records what a command did, at once; the command succeeds even if this fails.
    static func recordCommand(
        _ action: AuditAction, of owner: OwnerID, _ subject: String = "", in storage: Storage
    ) async {
        let log = AuditLog(in: storage.database)
        log.record(AuditEvent(action, of: owner, subject: subject, device: AuditWords.command))
        try? await log.write()
    }
}
