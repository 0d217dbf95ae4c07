import FixtureSite
import Foundation
import Futures
import Testing

@testable import Capture

/// Tests that `WebDataManager` has the interface of the article it comes from, but not the faults of that version.
@MainActor @Suite(.timeLimit(.minutes(20))) struct WebDataManagerTests {
    private let manager = WebDataManager(capturer: sharedCapturer, options: .withLongTimeouts)

    @Test func dataTypesMatchTheArticle() {
        #expect(WebDataManager.DataType.allCases.map(\.rawValue) == ["Snapshot", "PDF", "Web Archive"])
    }

    @Test func eachTypeReturnsItsData() async throws {
        try await FixtureSite.run { site in
            let beginnings: [WebDataManager.DataType: String] = [.pdf: "%PDF-", .webArchive: "bplist00"]
            for type in WebDataManager.DataType.allCases {
                let data = try await manager.createData(url: site.url("/plain"), type: type)
                if let beginning = beginnings[type] {
                    #expect(data.starts(with: Data(beginning.utf8)))
                } else {
                    #expect(pictureSize(data)?.width == 1280)
                }
            }
        }
    }

    /// First fault: a navigation that failed before it began had no handler, so a call with a wrong host hung.
    @Test func aFailureBeforeTheFirstByteIsAnError() async throws {
        let unknown = try #require(URL(string: "http://no-such-host.invalid/"))
        await #expect {
            _ = try await manager.createData(url: unknown, type: .pdf)
        } throws: {
            ($0 as? CaptureError)?.code == .hostNotFound
        }
    }

    /// Second fault: an overlapping call overwrote the first call's continuation, so the first call hung.
    @Test func overlappingCallsAllReturn() async throws {
        try await FixtureSite.run { site in
            async let pdf = manager.createData(url: site.url("/plain?1"), type: .pdf)
            async let picture = manager.createData(url: site.url("/plain?2"), type: .snapshot)
            async let archive = manager.createData(url: site.url("/plain?3"), type: .webArchive)
            #expect(try await pdf.starts(with: Data("%PDF-".utf8)))
            #expect(try await pictureSize(picture) != nil)
            let page = try WebArchive(propertyList: try await archive)
            #expect(page.mainResource.url == site.url("/plain?3").absoluteString)
        }
    }

    /// Third fault: the continuation was never cleared, so a page that navigated again resumed it twice.
    @Test func pageThatNavigatesAgainReturnsOnce() async throws {
        try await FixtureSite.run { site in
            let archive = try await manager.createData(url: site.url("/client-redirect"), type: .webArchive)
            let page = try WebArchive(propertyList: archive)
            #expect(page.mainResource.url == site.url("/plain").absoluteString)
        }
    }

    /// Fourth fault: there was no deadline, and no cancellation.
    @Test func callsEndAtTheirDeadlineAndOnCancellation() async throws {
        try await FixtureSite.run { site in
            var options = CaptureOptions()
            options.timeout = .seconds(1)
            let managerWithShortTimeout = WebDataManager(capturer: sharedCapturer, options: options)
            await #expect {
                _ = try await managerWithShortTimeout.createData(url: site.url("/stall"), type: .pdf)
            } throws: {
                ($0 as? CaptureError)?.code == .timedOut
            }
            let task = Task { try await manager.createData(url: site.url("/stall?2"), type: .pdf) }
            await site.waitForRequest("/stall?2")
            task.cancel()
            await #expect {
                _ = try await task.value
            } throws: {
                ($0 as? CaptureError)?.code == .cancelled
            }
        }
    }

    /// Fifth fault: after an error the progress view spun forever, because nothing reported the end.
    @Test func noProgressIsReportedAfterAnError() async throws {
        try await FixtureSite.run { site in
            let steps = Lock<[CaptureProgress]>([])
            await #expect(throws: CaptureError.self) {
                try await sharedCapturer.capture(
                    site.refusedURL("/"), formats: [.png], options: .withLongTimeouts,
                    progress: { step in steps.withLock { $0.append(step) } })
            }
            let reported = steps.withLock { $0 }
            #expect(reported.first == .starting)
            // Another whole capture with the same browser: a late report would arrive meanwhile.
            _ = try await manager.createData(url: site.url("/plain"), type: .pdf)
            #expect(steps.withLock { $0 } == reported)
        }
    }

    @Test func theManagerIsUsableAfterAnError() async throws {
        try await FixtureSite.run { site in
            await #expect {
                _ = try await manager.createData(url: site.refusedURL("/"), type: .snapshot)
            } throws: {
                ($0 as? CaptureError)?.code == .connectionRefused
            }
            let picture = try await manager.createData(url: site.url("/plain"), type: .snapshot)
            #expect(!picture.isEmpty)
        }
    }

    @Test(
        arguments: [
            (.snapshot, .noImageData), (.pdf, .noPDFData), (.webArchive, .noWebArchiveData),
        ] as [(WebDataManager.DataType, WebDataManager.DataError)])
    func missingDataThrowsTheErrorOfItsType(
        type: WebDataManager.DataType, error: WebDataManager.DataError
    ) async throws {
        let url = try #require(URL(string: "http://example.com/"))
        for empty in [Data(), nil] {
            let manager = WebDataManager(capture: { _, _ in empty })
            await #expect(throws: error) { try await manager.createData(url: url, type: type) }
        }
        let full = WebDataManager(capture: { _, _ in Data([1]) })
        #expect(try await full.createData(url: url, type: type) == Data([1]))
    }
}
