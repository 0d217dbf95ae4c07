import Site
import Testing

@testable import EmojiArtWeb

@Suite struct ScriptFileTests {
    /// A script that can't be combined is a file for each of its imports, and stops a debug build.
    @Test func everyScriptCanBeCombinedWithItsImports() {
        #expect(StaticFiles.scriptProblems(of: [ArtPages.app]) == [])
        // This one alone would be 48 requests.
        let files = StaticFiles.contents(of: [ArtPages.app])
        #expect(files.keys.count { $0.hasPrefix("art/") && $0.hasSuffix(".js") } > 40)
    }
}
