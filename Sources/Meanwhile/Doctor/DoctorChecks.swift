import Accounts
import ArgumentParser
import Capture
import DurableFiles
import Foundation
import OpenIDConnect
import Persistence
import Site
import Subprocess
import SystemPackage

/// The checks of `meanwhile doctor`, each of which only reads, or removes what it has created.
struct DoctorChecks: Sendable {
    typealias Check = DoctorReport.Check

    /// The path of the data folder, which may not exist yet.
    let folder: String
    let chromium: String?
    let origin: String?
    let host: String
    let trustsProxy: Bool
    /// The files of the certificate and its key; `nil` for a server without HTTPS.
    let (certificate, key): (String?, String?)
    let openID: OpenIDOptions
    /// Where the data is that isn't in the folder.
    let address: StorageAddress
    let environment: [String: String]

    /// The free space that a temporary folder needs: Chromium's profile and a large page, in bytes.
    private static let temporaryBytes: Int64 = 512 << 20
    /// The oldest plausible time: the clock of a computer without a battery begins in 1970 or with its firmware.
    private static let oldestTime = Date(timeIntervalSince1970: 1_764_000_000)
    /// How far a file's time may be ahead of the clock, in seconds.
    private static let clockTolerance: TimeInterval = 24 * 3_600
    /// How long before its end a certificate should have been renewed, in seconds.
    private static let certificateWarning: TimeInterval = 7 * 24 * 3_600

    func run() async -> [Check] {
        let temporary = temporaryFolder()
        let browser = await browser()
        let database = await databaseCheck()
        return browser + (await fonts()) + [dataFolder(), disk()] + [database, clock(), temporary, descriptors()]
            + (await reachability(isDatabaseGood: database.state == .good)) + (await provider())
    }
}

// MARK: - The browser and its fonts

extension DoctorChecks {
    private func browser() async -> [Check] {
        let configuration = PageCapturer.Configuration {
            $0.chromium = chromium
            $0.keepsSparePage = false
        }
        do throws(CaptureError) {
            let version = try await withPageCapturer(configuration) { capturer throws(CaptureError) in
                try await capturer.browserVersion()
            }
            return [.good("chromium", DoctorWords.starts(version)), .good("sandbox", DoctorWords.sandboxWorks)]
        } catch {
            if error.code == .browserNotFound {
                return [.fault("chromium", error.message, DoctorWords.install("chromium"))]
            }
            guard error.message.contains("sandbox") else {
                return [.fault("chromium", error.message, DoctorWords.reinstall("chromium"))]
            }
            let obstacle = SandboxObstacle.find()
            return [
                .good("chromium", DoctorWords.found),
                .fault("sandbox", obstacle?.reason ?? error.message, obstacle?.remedy ?? DoctorWords.allowSandbox),
            ]
        }
    }

    private static let fontKinds = [
        (id: "fonts-cjk", pattern: ":lang=zh", package: "fonts-wqy-microhei", missing: DoctorWords.noCJK),
        (id: "fonts-emoji", pattern: ":lang=und-zsye", package: "fonts-noto-color-emoji", missing: DoctorWords.noEmoji),
    ]

    private func fonts() async -> [Check] {
        var checks: [Check] = []
        for kind in Self.fontKinds {
            guard let list = await output(of: "fc-list", kind.pattern, "family") else {
                return checks + [.warning("fonts", DoctorWords.noFontList, DoctorWords.install("fontconfig"))]
            }
            let families = Set(list.split(separator: "\n").map { $0.split(separator: ",")[0] }).sorted()
            if let first = families.first {
                checks.append(.good(kind.id, DoctorWords.fonts(first, count: families.count)))
            } else {
                checks.append(.fault(kind.id, kind.missing, DoctorWords.install(kind.package)))
            }
        }
        return checks
    }

    /// The standard output of a program in the `PATH`; `nil` if it is missing, fails or takes too long.
    private func output(of program: String, _ arguments: String...) async -> String? {
        let result = try? await Subprocess.run(
            .name(program), arguments: Arguments(arguments), output: .string(limit: 4 << 20), error: .discarded)
        guard let result, case .exited(0) = result.terminationStatus else { return nil }
        return result.standardOutput
    }
}

// MARK: - Data

extension DoctorChecks {
    private var exists: Bool { FileManager.default.fileExists(atPath: folder) }

    private func dataFolder() -> Check {
        guard exists else { return .good("data", DoctorWords.newFolder(folder)) }
        do throws(StoreError) {
            _ = try DataFolder.open(at: folder)
            return .good("data", DoctorWords.writable(folder))
        } catch {
            return .fault("data", error.message, DoctorWords.chooseFolder(folder))
        }
    }

    private func disk() -> Check {
        var path = FilePath(folder)
        while !FileManager.default.fileExists(atPath: path.string), path.removeLastComponent() {}
        guard let space = DiskSpace(at: path.isEmpty ? "." : path.string) else {
            return .warning("disk", DoctorWords.unknownSpace(folder), DoctorWords.checkDisk(folder))
        }
        let floor = (try? OwnerBudget(environment: environment))?.freeDisk ?? .automatic
        let least = floor.bytesToLeave(of: space)
        let finding = DoctorWords.space(space.free, of: space.total, floor: least)
        if space.free < least { return .fault("disk", finding, DoctorWords.makeRoom(folder)) }
        return space.free < 2 * least
            ? .warning("disk", finding, DoctorWords.makeRoom(folder)) : .good("disk", finding)
    }

    private func databaseCheck() async -> Check {
        if address.database != nil {
            do throws(StoreError) {
                let storage = try await Storage.open(in: DataFolder.open(at: folder), at: address)
                defer { storage.close() }
                return .good("database", DoctorWords.answers(storage.database.name))
            } catch {
                return .fault("database", error.message, DoctorWords.checkServer)
            }
        }
        guard let diagnosis = DatabaseDiagnosis.read(at: folder, migrations: DatabaseSchema.migrations) else {
            return .good("database", DoctorWords.noDatabase)
        }
        switch diagnosis.fault {
        case nil: return .good("database", DoctorWords.intact(diagnosis.bytes))
        case .damaged: return .fault("database", DoctorWords.damaged(diagnosis.message), DoctorWords.restore(folder))
        case .otherVersion: return .fault("database", diagnosis.message, DoctorWords.otherVersion)
        case .unreadable:
            return .fault("database", DoctorWords.unreadable(diagnosis.message), DoctorWords.owner(folder))
        }
    }
}

// MARK: - The computer

extension DoctorChecks {
    private func clock() -> Check {
        let now = Date()
        if now < Self.oldestTime { return .fault("clock", DoctorWords.oldTime(now), DoctorWords.setClock) }
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/meanwhile.sqlite")
        if let changed = attributes?[.modificationDate] as? Date, changed > now + Self.clockTolerance {
            return .fault("clock", DoctorWords.future(changed, now), DoctorWords.setClock)
        }
        return .good("clock", DoctorWords.time(now, zone: TimeZone.current.identifier))
    }

    private func temporaryFolder() -> Check {
        let path = environment["TMPDIR"] ?? "/tmp"
        let file = FilePath(path).appending(".meanwhile-doctor-\(UUID().uuidString)")
        do {
            let descriptor = try FileDescriptor.open(
                file, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
            defer { try? FileManager.default.removeItem(atPath: file.string) }
            try descriptor.closeAfter { _ = try descriptor.writeAll([UInt8](repeating: 0, count: 4_096)) }
        } catch {
            return .fault("temporary", DoctorWords.noTemporary(path, "\(error)"), DoctorWords.setTemporary)
        }
        guard let space = DiskSpace(at: path), space.free < Self.temporaryBytes else {
            return .good("temporary", DoctorWords.writable(path))
        }
        return .warning("temporary", DoctorWords.smallTemporary(path, space.free), DoctorWords.setTemporary)
    }

    private func descriptors() -> Check {
        let needed = SiteLimits().neededDescriptors
        let limit = DescriptorLimit.raise(to: needed)
        return limit >= needed
            ? .good("descriptors", DoctorWords.descriptors(limit))
            : .warning("descriptors", DoctorWords.fewDescriptors(limit, needed: needed), DoctorWords.raiseDescriptors)
    }
}

// MARK: - The provider

extension DoctorChecks {
    /// Whether people can sign in at the provider; nothing without one.
    private func provider() async -> [Check] {
        let provider: OpenIDProvider
        do {
            guard let chosen = try openID.provider(environment: environment) else { return [] }
            provider = chosen.provider
        } catch let error as ValidationError {
            return [.fault("openid", error.message, DoctorWords.giveProvider)]
        } catch {
            return [.fault("openid", "\(error)", DoctorWords.giveSecret)]
        }
        let (issuer, address) = (provider.configuration.issuer, provider.discoveryAddress)
        do throws(OpenIDError) {
            try await provider.check()
            return [.good("openid", DoctorWords.provider(issuer))]
        } catch {
            switch error {
            case .unreachable(let reason):
                return [.fault("openid", DoctorWords.unreachable(issuer, reason), DoctorWords.checkProvider(address))]
            case .unusable("issuer"):
                return [.fault("openid", DoctorWords.otherIssuer(issuer), DoctorWords.giveIssuer(address))]
            case .unusable(let part):
                return [.fault("openid", DoctorWords.unusable(part, address), DoctorWords.checkProvider(address))]
            case .invalidIssuer, .otherAttempt, .refused, .invalidToken:
                return [.fault("openid", "\(error)", DoctorWords.giveProvider)]
            }
        }
    }
}

// MARK: - Who can reach the server

extension DoctorChecks {
    private func reachability(isDatabaseGood: Bool) async -> [Check] {
        let isLoopback = ["127.0.0.1", "::1", "localhost"].contains(host)
        let isPublic = !isLoopback || origin != nil && !trustsProxy
        var checks = certificateCheck()
        let hasHTTPS = !checks.isEmpty
        guard !isLoopback || origin != nil || trustsProxy else {
            return checks + [.good("proxy", DoctorWords.onlyHere)]
        }
        let url = origin.flatMap { URL(string: $0) }
        if let origin, url?.host() == nil || !["http", "https"].contains(url?.scheme?.lowercased()) {
            checks.append(.fault("proxy", DoctorWords.badOrigin(origin), DoctorWords.giveOrigin))
        } else if trustsProxy, origin == nil {
            checks.append(.warning("proxy", DoctorWords.trustWithoutOrigin, DoctorWords.giveOrigin))
        } else if !hasHTTPS, url?.scheme?.lowercased() != "https" {
            checks.append(.warning("proxy", DoctorWords.inTheClear(origin ?? host), DoctorWords.useHTTPS))
        } else {
            checks.append(.good("proxy", DoctorWords.reachable(origin ?? host)))
        }
        if isPublic, isDatabaseGood {
            let count = await accountCount()
            checks.append(
                count == 0
                    ? .fault("accounts", DoctorWords.noAccounts, DoctorWords.addAccount)
                    : .good("accounts", DoctorWords.accounts(count)))
        }
        return checks
    }

    /// The state of the certificate; nothing for a server without HTTPS.
    private func certificateCheck() -> [Check] {
        guard certificate != nil || key != nil else { return [] }
        guard let certificate, let key else {
            return [.fault("certificate", CommandWords.certificateAndKey, DoctorWords.giveBoth)]
        }
        do throws(SiteError) {
            let end = try SiteCertificate(certificateFile: certificate, keyFile: key).expiresAt
            let now = Date()
            if end <= now { return [.fault("certificate", DoctorWords.expired(end), DoctorWords.renew)] }
            return end < now + Self.certificateWarning
                ? [.warning("certificate", DoctorWords.valid(until: end), DoctorWords.renew)]
                : [.good("certificate", DoctorWords.valid(until: end))]
        } catch {
            return [.fault("certificate", error.message, DoctorWords.giveBoth)]
        }
    }

    /// The number of accounts; 0 without a database, which isn't created.
    private func accountCount() async -> Int {
        guard address.database != nil || DataFolder.hasDatabase(at: folder),
            let data = try? DataFolder.open(at: folder),
            let storage = try? await Storage.open(in: data, at: address)
        else { return 0 }
        defer { storage.close() }
        return (try? await SQLiteAccountStore(in: storage.database).accounts().count) ?? 0
    }
}
