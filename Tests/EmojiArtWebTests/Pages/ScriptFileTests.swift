import Site
import Testing

@testable import EmojiArtWeb

@Suite struct ScriptFileTests {
    /// A script that can't be combined takes one request for each of its imports; in a debug build, it stops the
    /// program.
    @Test func everyScriptCanBeCombinedWithItsImports() {
        #expect(StaticFiles.scriptProblems(of: [ArtPages.app]) == [])
        // This app alone would take more than 40 requests.
        let files = StaticFiles.contents(of: [ArtPages.app])
        #expect(files.keys.count { $0.hasPrefix("art/") && $0.hasSuffix(".js") } > 30)
    }
}
