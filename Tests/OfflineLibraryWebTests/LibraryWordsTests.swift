import Formats
import OfflineLibraryModel
import Site
import Testing

@testable import OfflineLibraryWeb

@Suite struct LibraryWordsTests {
    @Test func everyTemplateHasItsWords() throws {
        let search = try #require(LibrarySearchRequest(query: "q=word"))
        let library = LibraryContext(items: PageList(), marking: nil)
        let text = try LibraryTemplates().found([], of: FoundPages(), search: search, in: library).markup
        #expect(text.contains("<h2>No pages found</h2>"))
        #expect(text.contains(#"placeholder="Search your pages""#))
    }

    @Test func everyScriptHasItsWords() {
        #expect(StaticFiles.scriptProblems(of: [LibraryPages.app]) == [])
    }

    @Test func numbersAreFormattedForTheReader() {
        #expect(LibraryWords.pagesFound(1) == "1 page found")
        let german = ReaderFormats.local.withValue(ReaderFormats(languages: "de")) {
            LibraryWords.tooManyAddresses(1_234, limit: 100)
        }
        #expect(german == "There are 1.234 addresses. Enter at most 100 at a time.")
    }
}
