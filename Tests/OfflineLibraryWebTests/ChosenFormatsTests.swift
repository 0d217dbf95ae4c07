import Capture
import Testing

@testable import OfflineLibraryWeb

/// Tests the cookie with the formats of a browser's last page.
@Suite struct ChosenFormatsTests {
    @Test(arguments: [[.pdf], [.png, .webArchive], [.png, .pdf, .webArchive]] as [Set<PageFormat>])
    func chosenFormatsSurviveTheCookie(formats: Set<PageFormat>) {
        #expect(ChosenFormats.formats(named: ChosenFormats.names(of: formats)) == formats)
    }

    @Test func unknownFormatsAreIgnored() {
        let known: Set<PageFormat> = [.pdf]
        #expect(ChosenFormats.formats(named: "epub.pdf..pdf.PNG") == known)
        for text in ["", ".", "epub", "pdf,png", String(repeating: "a", count: 10_000)] {
            #expect(ChosenFormats.formats(named: text) == nil)
        }
    }
}
