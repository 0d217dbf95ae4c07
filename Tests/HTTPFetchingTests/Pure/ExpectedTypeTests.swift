import ImageInfo
import Testing

@testable import HTTPFetching

@Suite struct ExpectedTypeTests {
    @Test func expectedTypeAcceptsOnlyMatchingContent() {
        #expect(SniffedType.allCases.filter { ExpectedType.image.accepts($0) }.count == 13)
        #expect(ExpectedType.anything.accepts(.nothing))
        #expect(!ExpectedType.text.accepts(.nothing))
        #expect(ExpectedType.text.accepts(.json))
        #expect(ExpectedType.html.accepts(.xml) && !ExpectedType.html.accepts(.svg))
        #expect(ExpectedType.oneOf([.pdf, .zip]).accepts(.zip) && !ExpectedType.oneOf([.pdf]).accepts(.zip))
        #expect(ExpectedType.pdf.accepts(.pdf) && ExpectedType.json.accepts(.json) && ExpectedType.zip.accepts(.zip))
    }
}
