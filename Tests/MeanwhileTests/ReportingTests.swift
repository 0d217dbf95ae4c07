import FixtureSite
import Foundation
import Testing

extension SuccessfulRuns {
    /// The output of a run on standard output and standard error.
    @Suite struct Reporting {
        @Test func eachFileIsOneLineOnStandardOutput() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/plain"))
                #expect(outcome.exitCode == 0)
                #expect(outcome.errors.isEmpty)
                #expect(outcome.lines.count == 4)
                for line in outcome.lines {
                    let fields = line.split(separator: "\t")
                    #expect(fields.count == 3)
                    #expect(workspace.exists(String(fields[0])))
                    #expect(fields.last.map(String.init) == site.address("/plain"))
                }
            }
        }

        @Test func jsonReportsOneCompleteObjectPerPage() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/"), "--json")
                #expect(outcome.exitCode == 0)
                let reports = try outcome.reports()
                #expect(reports.count == 1)
                let report = try #require(reports.first)
                #expect(report.version == 1)
                #expect(report.outcome == "kept")
                #expect(report.address == site.address("/"))
                #expect(report.url == site.address("/"))
                #expect(report.httpStatus == 200)
                #expect(report.width == 1280)
                #expect((report.height ?? 0) > 800)
                #expect((report.seconds ?? 0) > 0)
                #expect(report.readiness == "almostIdle")
                #expect(report.title?.isEmpty == false)
                #expect(report.resources.count > 10)
                #expect(report.files.map(\.format) == ["png", "pdf", "webarchive", "wacz"])
                #expect(report.complete == true)
                for file in report.files {
                    #expect(try Data(contentsOf: URL(filePath: file.path)).count == file.bytes)
                }
            }
        }

        @Test func jsonReportsTheOutcomeOfEachPage() async throws {
            try await withSite { site, workspace in
                let addresses = ["banana", site.address("/plain"), site.refusedURL("/").absoluteString]
                let outcome = try await workspace.capture(
                    addresses[0], addresses[1], addresses[2], "--json", "--jobs", "1", "-f", "png")
                #expect(outcome.exitCode == 2)
                let reports = try outcome.reports()
                #expect(reports.map(\.address) == addresses)
                #expect(reports.map(\.version) == [1, 1, 1])
                #expect(reports.map(\.outcome) == ["failed", "kept", "failed"])
                #expect(reports.map { $0.error?.code } == ["invalidAddress", nil, "connectionRefused"])
                #expect(reports[0].files.isEmpty)
                #expect(outcome.errorLines.count == 2)
                for report in reports { #expect(report.error.map { outcome.errors.contains($0.message) } ?? true) }
            }
        }

        @Test(arguments: [404, 500])
        func pageWithAnErrorStatusIsSavedWithAWarning(status: Int) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/status/\(status)"), "--json", "-f", "png")
                #expect(outcome.exitCode == 0)
                let report = try #require(try outcome.reports().first)
                #expect(report.outcome == "kept")
                #expect(report.httpStatus == status)
                #expect(report.warnings.map(\.kind) == ["httpStatus"])
                #expect(outcome.errorLines.count == 1)
                #expect(outcome.errors.hasPrefix("warning: \(site.address("/status/\(status)")): "))
                #expect(outcome.errors.contains("status \(status)"))
                try workspace.expectCompleteFiles()
            }
        }

        @Test(arguments: ["/empty", "/blank"])
        func blankPageIsSavedWithAWarning(path: String) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address(path))
                #expect(outcome.exitCode == 0)
                #expect(outcome.errors.hasPrefix("warning: "))
                #expect(outcome.errors.contains("blank"))
                #expect(workspace.outputNames == site.names(path))
                try workspace.expectCompleteFiles()
            }
        }

        @Test func pagesWithDialogsAreSavedUnattended() async throws {
            try await withSite { site, workspace in
                let paths = ["/alert", "/alerts", "/confirm", "/popup", "/print-on-load", "/prompt"]
                let outcome = try await workspace.capture(
                    "-f", "png", "--jobs", "3", input: paths.map(site.address).joined(separator: "\n"))
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(outcome.errors.isEmpty)
                #expect(workspace.outputNames == paths.map { site.name($0, "png") })
            }
        }

        @Test func longAddressIsReportedInFull() async throws {
            try await withSite { site, workspace in
                let address = site.address("/plain?trace=" + String(repeating: "a", count: 500))
                let outcome = try await workspace.capture(address, "--json", "-f", "png")
                #expect(outcome.exitCode == 0)
                let report = try #require(try outcome.reports().first)
                #expect(report.address.count == address.count)
                #expect(report.url?.count == address.count)
            }
        }

        @Test func missingResourcesAreReported() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/missing-resources"), "--json")
                #expect(outcome.exitCode == 0)
                let report = try #require(try outcome.reports().first)
                #expect(report.warnings.map(\.kind) == ["missingResources"])
                #expect(report.resources.contains { $0.missing != nil && $0.url.hasSuffix("/refused.css") })
                #expect(report.resources.contains { $0.missing == nil && $0.url.hasSuffix("/image/100.png") })
            }
        }

        @Test func logsAreWrittenToStandardErrorByCategory() async throws {
            try await withSite { site, workspace in
                // One page fails, so that the category that logs failures appears.
                let outcome = try await workspace.capture(
                    site.address("/plain"), site.address("/no-content"), "-f", "png", "--log-level", "debug")
                #expect(outcome.exitCode == 2)
                for category in ["capture", "chromium", "devtools"] {
                    #expect(outcome.errors.contains(" meanwhile.\(category)"), "\(outcome.errors)")
                }
                #expect(outcome.lines.count == 1)
            }
        }

        @Test func logLevelIsReadFromTheEnvironment() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/plain"), "-f", "png", environment: ["MEANWHILE_LOG_LEVEL": "trace"])
                #expect(outcome.exitCode == 0)
                #expect(outcome.errors.contains(" trace meanwhile.devtools"))
            }
        }
    }
}
