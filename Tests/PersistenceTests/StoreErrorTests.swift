import Foundation
import GRDB
import SystemPackage
import Testing

@testable import Persistence

@Suite struct StoreErrorTests {
    @Test(arguments: [
        (ResultCode.SQLITE_FULL, StoreError.Code.diskFull), (.SQLITE_READONLY, .notWritable),
        (.SQLITE_CANTOPEN, .notWritable), (.SQLITE_PERM, .notWritable), (.SQLITE_BUSY, .locked),
        (.SQLITE_BUSY_SNAPSHOT, .locked), (.SQLITE_LOCKED, .locked), (.SQLITE_CORRUPT, .corrupt),
        (.SQLITE_NOTADB, .corrupt), (.SQLITE_IOERR_FSYNC, .inputOutput), (.SQLITE_CONSTRAINT, .queryFailed),
        (.SQLITE_MISUSE, .queryFailed), (.SQLITE_ERROR, .queryFailed),
    ])
    func sqliteErrorGetsACodeAndAReadableMessage(result: ResultCode, code: StoreError.Code) {
        let error = StoreError(DatabaseError(resultCode: result), ofDatabaseAt: "/tmp")
        #expect(error.code == code)
        #expect(error.message.hasPrefix("/tmp "))
        #expect(error.cause is DatabaseError)
    }

    @Test(arguments: [
        (Errno.noSpace, StoreError.Code.diskFull), (.diskQuotaExceeded, .diskFull), (.fileTooLarge, .diskFull),
        (.permissionDenied, .notWritable), (.notPermitted, .notWritable), (.readOnlyFileSystem, .notWritable),
        (.notDirectory, .notAFolder), (.fileNameTooLong, .notAFolder), (.noSuchFileOrDirectory, .missing),
        (.ioError, .inputOutput), (.tooManyOpenFiles, .inputOutput),
    ])
    func systemErrorGetsACodeAndAReadableMessage(errno: Errno, code: StoreError.Code) {
        let error = StoreError(errno, "could not be written", at: "/data/file")
        #expect(error.code == code)
        #expect(error.message.hasPrefix("/data/file could not be written. "))
        #expect(error.cause as? Errno == errno)
        #expect("\(error)" == error.message)
        #expect(error.localizedDescription == error.message)
    }

    @Test func codeIsDescribedByItsName() {
        #expect("\(StoreError.Code.newerVersion)" == "newerVersion")
    }
}
