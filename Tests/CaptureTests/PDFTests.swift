import FaultServer
import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Tests of PDFs, inspected with poppler.
@Suite(.timeLimit(.minutes(20))) struct PDFTests {
    private struct Facts {
        var pages: Int
        var isTagged: Bool
        /// In points of 1/72 inch.
        var size: (width: Double, height: Double)
    }

    private func facts(of pdf: Data) async throws -> Facts {
        let lines = try await Checks.poppler("pdfinfo", pdf: pdf).split(separator: "\n")
        func field(_ name: String) throws -> Substring {
            let line = try #require(lines.first { $0.hasPrefix(name + ":") })
            return line.dropFirst(name.count + 1)
        }
        let size = try field("Page size").split(separator: " ").compactMap { Double($0) }
        try #require(size.count >= 2)
        return Facts(
            pages: try #require(Int(try field("Pages").trimmingCharacters(in: .whitespaces))),
            isTagged: try field("Tagged").contains("yes"), size: (size[0], size[1]))
    }

    private func pdf(_ url: URL, paper: CaptureOptions.Paper) async throws -> (Data, PageCapture) {
        var options = CaptureOptions.withLongTimeouts
        options.paper = paper
        let capture = try await sharedCapturer.capture(url, formats: [.pdf], options: options)
        return (try #require(capture.data[.pdf]), capture)
    }

    @Test(arguments: ["/", "/lazy", "/vh", "/plain", "/tall?px=15000"])
    func onePagePDFIsAsTallAsTheContent(path: String) async throws {
        try await FixtureSite.run { site in
            let (pdf, capture) = try await pdf(site.url(path), paper: .onePage)
            let facts = try await facts(of: pdf)
            #expect(facts.pages == 1)
            #expect(facts.isTagged)
            // An inch is 96 CSS pixels and 72 points.
            #expect(abs(facts.size.width * 96 / 72 - Double(capture.contentSize.width)) <= 2)
            #expect(abs(facts.size.height * 96 / 72 - Double(capture.contentSize.height)) <= 20)
        }
    }

    @Test(arguments: [(CaptureOptions.Paper.a4, 595.0, 842.0), (.letter, 612.0, 792.0)])
    func paperPDFHasSeveralPagesOfThePaperSize(paper: CaptureOptions.Paper, width: Double, height: Double) async throws
    {
        try await FixtureSite.run { site in
            let (pdf, _) = try await pdf(site.url("/lazy"), paper: paper)
            let facts = try await facts(of: pdf)
            #expect(facts.pages > 3)
            #expect(facts.isTagged)
            #expect(abs(facts.size.width - width) <= 1)
            #expect(abs(facts.size.height - height) <= 1)
        }
    }

    @Test func onePagePDFUsesScreenStylesAndPaperPDFPrintStyles() async throws {
        try await FixtureSite.run { site in
            let (screen, _) = try await pdf(site.url("/print"), paper: .onePage)
            let onScreen = try await Checks.poppler("pdftotext", pdf: screen)
            #expect(onScreen.contains("Only on the screen.") && !onScreen.contains("Only on paper."))
            let (paper, _) = try await pdf(site.url("/print"), paper: .a4)
            let onPaper = try await Checks.poppler("pdftotext", pdf: paper)
            #expect(onPaper.contains("Only on paper.") && !onPaper.contains("Only on the screen."))
        }
    }

    @Test(arguments: CaptureOptions.Paper.allCases)
    func backgroundsArePrinted(paper: CaptureOptions.Paper) async throws {
        try await FixtureSite.run { site in
            let (pdf, _) = try await pdf(site.url("/vh"), paper: paper)
            let colours = try await Checks.colours(ofPDF: pdf)
            // The dark red background of the hero section.
            #expect(colours.contains { $0.red > 150 && $0.green < 80 && $0.blue < 80 })
        }
    }

    /// A page with a picture of 300 pixels, then five lines of text, and so on.
    private static func brokenPage(_ style: String, sections: Int) -> String {
        let picture = """
            <img alt="" width="200" height="300" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">
            """
        let content = (0..<sections).map { section in
            picture + (0..<5).map { "<p>Line \(section).\($0)</p>" }.joined()
        }
        return """
            <!DOCTYPE html><title>Tall</title>
            <style>body, p { margin: 0 } p { font: 16px/21px serif } img { display: block; background: #0a0 } \(style)</style>
            <main>\(content.joined())</main>
            """
    }

    /// The end of a sheet is never within a line or a picture.
    @Test(arguments: [
        (CaptureOptions.Paper.a4, "", 40), (.a4, "main { overflow: auto }", 40),
        (.a4, "main { display: grid; grid-template-columns: repeat(3, 1fr) }", 40),
        (.letter, "html, body, main { height: 16300px; overflow: hidden }", 40),
        (.onePage, "main { overflow-y: scroll }", 250),
    ])
    func sheetsEndBetweenLinesAndPictures(paper: CaptureOptions.Paper, style: String, sections: Int) async throws {
        let page = Self.brokenPage(style, sections: sections)
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(200, [("Content-Type", "text/html")], page) }
        ])
        let (pdf, _) = try await pdf(server.url("/"), paper: paper)
        await server.close()
        #expect(PDFDocument.pageCount(of: pdf) > 1)
        let text = try await Checks.poppler("pdftotext", pdf: pdf)
        let lines = text.matches(of: /Line (\d+\.\d+)/).map { String($0.1) }
        #expect(lines.count == sections * 5)
        #expect(Set(lines).count == sections * 5)
        // At 12 dots per inch, eight pixels are a dot.
        let heights = try await Checks.heights(ofGreenAreasIn: pdf, resolution: 12)
        let isGrid = style.contains("grid")
        #expect(heights.count >= (isGrid ? sections / 3 : sections))
        #expect(heights.allSatisfy { (36...39).contains($0) }, "\(heights)")
    }
}
