import CoffeeTrackerModel
import Site
import Testing

@testable import CoffeeTrackerWeb

@Suite struct CoffeeWordsTests {
    @Test func everyTemplateAndScriptHasItsWords() throws {
        _ = try CoffeeTemplates()
        #expect(StaticFiles.scriptProblems(of: [CoffeePages.app]) == [])
    }

    @Test func countsAreWrittenInFull() {
        #expect(CoffeeWords.notShared(1).hasPrefix("1 drink is not shared with other programs yet. "))
        let summary = CoffeeWords.periodSummary(drinks: 1_234, total: "80 mg", daily: "8 mg")
        #expect(summary == "1,234 drinks, 80 mg. On average 8 mg a day since the first drink.")
    }
}
