import Capture
import Testing

@testable import Meanwhile

@Suite struct CaptureArgumentsTests {
    @Test(arguments: [
        ("png", [PageFormat.png]), ("webarchive,pdf", [.webArchive, .pdf]), ("PNG,Pdf", [.png, .pdf]),
        ("pdf,pdf,png,pdf", [.pdf, .png]), ("png,", [.png]),
    ])
    func formatsAreParsedInOrderWithoutDuplicates(argument: String, formats: [PageFormat]) {
        #expect(FormatList(argument: argument)?.formats == formats)
    }

    @Test(arguments: ["", ",", "gif", "png,gif", "png pdf", "png, pdf", ".png"])
    func invalidFormatIsRefused(argument: String) {
        #expect(FormatList(argument: argument) == nil)
    }

    @Test func defaultIsAllFormatsAndItsDescriptionCanBeParsed() {
        #expect(FormatList.all.formats == PageFormat.allCases)
        #expect(FormatList(argument: FormatList.all.defaultValueDescription)?.formats == PageFormat.allCases)
    }

    @Test(arguments: [("1280x800", 1280, 800), ("16X10000", 16, 10_000)])
    func sizeIsParsedAsWidthAndHeight(argument: String, width: Int, height: Int) throws {
        let size = try #require(ViewportSize(argument: argument))
        #expect(size.width == width)
        #expect(size.height == height)
        #expect(size.defaultValueDescription == argument.lowercased())
    }

    @Test(arguments: [
        "", "x", "1280", "1280x", "x800", "1280x800x2", "1280 x 800", "0x0", "15x800", "1280x10001", "-20x-20",
        "99999999999999999999x800", "1e3x800", "12.5x800",
    ])
    func invalidSizeIsRefused(argument: String) {
        #expect(ViewportSize(argument: argument) == nil)
    }

    @Test func everyPaperHasAName() {
        #expect(Set(PaperName.allCases.map(\.paper)) == Set(CaptureOptions.Paper.allCases))
    }

    @Test func logLevelsAreCaseInsensitive() {
        #expect(LogLevelName(argument: "Debug").map { "\($0.level)" } == "debug")
        #expect(LogLevelName(argument: "loud") == nil)
    }
}
