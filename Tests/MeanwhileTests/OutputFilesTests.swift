import FixtureSite
import Foundation
import Testing

extension SuccessfulRuns {
    /// Tests which files a run writes, and their content.
    @Suite struct OutputFiles {
        @Test func everyFormatIsWrittenCompletely() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/"))
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(workspace.outputNames == site.names("/"))
                try workspace.expectCompleteFiles()
            }
        }

        @Test func onlyRequestedFormatsAreWritten() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/plain"), "-f", "pdf,png")
                #expect(outcome.exitCode == 0)
                #expect(workspace.outputNames == [site.name("/plain", "pdf"), site.name("/plain", "png")])
                try workspace.expectCompleteFiles()
            }
        }

        @Test func existingFileStaysAndNewFilesAreNumbered() async throws {
            try await withSite { site, workspace in
                try workspace.makeFolder(workspace.output)
                let old = site.name("/plain", "pdf")
                try workspace.makeFile("out/\(old)", "old")
                let outcome = try await workspace.capture(site.address("/plain"))
                #expect(outcome.exitCode == 0)
                #expect(try workspace.file(old) == Data("old".utf8))
                #expect(workspace.outputNames == (site.names("/plain", number: 2) + [old]).sorted())
            }
        }

        @Test func repeatedAddressIsSavedTwice() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/plain"), site.address("/plain"))
                #expect(outcome.exitCode == 0)
                #expect(workspace.outputNames == (site.names("/plain") + site.names("/plain", number: 2)).sorted())
                try workspace.expectCompleteFiles()
            }
        }

        @Test func filesAreReplacedWithOverwrite() async throws {
            try await withSite { site, workspace in
                try workspace.makeFolder(workspace.output)
                for name in site.names("/plain") { try workspace.makeFile("out/\(name)", "old") }
                let outcome = try await workspace.capture(site.address("/plain"), "--overwrite")
                #expect(outcome.exitCode == 0)
                #expect(workspace.outputNames == site.names("/plain"))
                try workspace.expectCompleteFiles()
            }
        }

        @Test func currentFolderIsTheDefaultOutputFolder() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.run([
                    "/usr/bin/env", "-C", workspace.temporary, Program.path, "capture", site.address("/plain"), "-f",
                    "png", "--timeout", "300",
                ])
                let file = "\(workspace.temporary)/\(site.name("/plain", "png"))"
                #expect(outcome.exitCode == 0)
                #expect(workspace.exists(file))
                try FileManager.default.removeItem(atPath: file)
            }
        }

        @Test func commentsAndBlankLinesOfStandardInputAreSkipped() async throws {
            try await withSite { site, workspace in
                let input = """
                    # Pages to keep

                      \(site.address("/plain"))\u{20}\u{20}
                    \(site.address("/text"))\r
                    \t
                       # \(site.address("/late"))
                    \(site.address("/picture.png"))
                    """
                let outcome = try await workspace.capture("--format", "png", "--jobs", "3", input: input)
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(
                    workspace.outputNames
                        == ["/plain", "/text", "/picture.png"].map { site.name($0, "png") }.sorted())
                #expect(!site.requests.contains("/late"))
            }
        }

        @Test(arguments: ["png", "pdf", "webarchive", "wacz"])
        func standardOutputContainsOnlyTheFile(format: String) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/"), "-o", "-", "--format", format, "--log-level", "debug")
                #expect(outcome.exitCode == 0)
                #expect(CompleteFile.problem(of: outcome.output, named: ".\(format)") == nil)
                #expect(workspace.names(in: workspace.root) == ["input", "tmp"])
            }
        }

        @Test func standardOutputWorksWithAnAddressFromStandardInput() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    "-o", "-", "--format", "pdf", input: site.address("/plain") + "\n")
                #expect(outcome.exitCode == 0)
                #expect(CompleteFile.problem(of: outcome.output, named: ".pdf") == nil)
                #expect(outcome.errors.isEmpty)
            }
        }

        @Test func pictureWidthIsTheViewportInDevicePixels() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/tall?px=3000"), "-f", "png", "--viewport", "640x480", "--scale", "2")
                #expect(outcome.exitCode == 0)
                let picture = try workspace.file(site.name("/tall?px=3000", "png"))
                #expect(CompleteFile.size(ofPNG: picture) == [1280, 6000])
            }
        }

        @Test func filePermissionsFollowTheUmask() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/plain"), "-f", "png", wrapper: ["/bin/sh", "-c", #"umask 027; exec "$@""#, "sh"])
                #expect(outcome.exitCode == 0)
                let path = "\(workspace.output)/\(site.name("/plain", "png"))"
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o640)
            }
        }
    }
}
