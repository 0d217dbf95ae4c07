import Hummingbird
import NIOCore
import Testing

@testable import Site

@Suite struct ScriptBundleTests {
    private func bundle(_ name: String, _ files: [String: String]) throws(ScriptProblem) -> String {
        String(decoding: try ScriptBundle.source(of: name, in: files.mapValues { Array($0.utf8) }), as: UTF8.self)
    }

    private func problem(_ files: [String: String]) -> String? {
        do throws(ScriptProblem) {
            _ = try bundle("a/main.js", files)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func scriptWithoutImportsIsServedAsItIs() throws {
        let source = "// Text with import and export.\nexport const a = 1;\n"
        #expect(try bundle("a/main.js", ["a/main.js": source]) == source)
    }

    @Test func importedModulesComeFirstAndOnce() throws {
        let files = [
            "a/main.js": "import { one } from \"./one.js\";\nimport { two } from \"../b/two.js\";\none(two);\n",
            "a/one.js": "import { two } from \"../b/two.js\";\n\nexport function one() {\n    return two;\n}\n",
            "b/two.js": "export const two = 2;\n",
        ]
        #expect(
            try bundle("a/main.js", files) == """
                const __modules = {};

                // --- b/two.js
                __modules["b/two.js"] = (() => {
                const two = 2;

                return { two };
                })();

                // --- a/one.js
                __modules["a/one.js"] = (() => {
                const { two } = __modules["b/two.js"];

                function one() {
                    return two;
                }

                return { one };
                })();

                // --- a/main.js
                __modules["a/main.js"] = (() => {
                const { one } = __modules["a/one.js"];
                const { two } = __modules["b/two.js"];
                one(two);

                return {  };
                })();

                """)
    }

    @Test func bundleExportsWhatItsMainScriptExports() throws {
        let files = [
            "a/main.js": """
            import { a } from "./one.js";
            export async function first() {}
            export class Second {}
            export const third = a;
            """,
            "a/one.js": "export const a = 1;",
        ]
        let text = try bundle("a/main.js", files)
        #expect(text.hasSuffix("\nexport const { first, Second, third } = __modules[\"a/main.js\"];\n"))
        #expect(!text.dropLast(80).contains("export "))
    }

    @Test func importsOverSeveralLinesKeepTheirNumberOfLines() throws {
        let files = [
            "a/main.js": "import {\n    a as b, c,\n} from \"./one.js\";\nb(c);",
            "a/one.js": "export const a = 1;\nexport const c = 2;",
        ]
        let text = try bundle("a/main.js", files)
        #expect(text.contains("const { a: b, c } = __modules[\"a/one.js\"];\n\n\nb(c);\n"))
    }

    @Test func brokenScriptsAreDescribed() {
        let one = "export const a = 1;"
        #expect(
            problem(["a/main.js": "import { a } from \"./one.js\";"])
                == "a/main.js imports a/one.js, which is missing")
        #expect(
            problem(["a/main.js": "import { b } from \"./one.js\";", "a/one.js": one])
                == "a/main.js imports b, which a/one.js doesn't export")
        #expect(
            problem(["a/main.js": "import { a } from \"../../one.js\";", "one.js": one])
                == "a/main.js imports ../../one.js, which is outside the site's files")
        #expect(
            problem(["a/main.js": "import { a } from \"https://example.com/one.js\";"])
                == "a/main.js imports https://example.com/one.js, which isn't a relative path")
        #expect(
            problem([
                "a/main.js": "import { a } from \"./one.js\";\nexport const m = 1;",
                "a/one.js": "import { m } from \"./main.js\";\nexport const a = 1;",
            ]) == "a/main.js imports a/one.js imports a/main.js")
        #expect(problem(["b/main.js": one]) == "there is no script a/main.js")
    }

    @Test(arguments: [
        "import a from \"./one.js\";", "import * as a from \"./one.js\";", "import \"./one.js\";",
        "import { a b } from \"./one.js\";", "import { a } from \"./one.js\"", "export let a = 1;",
        "export default 1;", "export { a };", "export const { a } = {};",
    ])
    func otherFormsAreRefused(line: String) {
        #expect(problem(["a/main.js": line, "a/one.js": "export const a = 1;"]) != nil)
    }

    @Test func everyScriptOfTheSiteCanBeCombined() {
        #expect(StaticFiles.scriptProblems(of: []) == [])
    }
}

@Suite struct PreparedFileTests {
    @Test(arguments: [
        ([], false), (["gzip"], true), (["deflate, GZIP;q=0.5, br"], true), (["br", "x-gzip"], true), (["*"], true),
        (["gzip;q=0"], false), (["gzip; q=0.0, *"], false), (["identity", "*;q=0"], false), (["gzip;q=much"], false),
        (["gzipped"], false),
    ])
    func gzipIsSentToClientsThatAcceptIt(accepted: [String], isAccepted: Bool) {
        #expect(PreparedFile.acceptsGzip(accepted) == isAccepted)
    }

    @Test func compressionIsAGzipStreamOfTheWholeContent() throws {
        let content = Array(String(repeating: "The same sentence again. ", count: 4_000).utf8)
        let compressed = try #require(GzippedBytes.ifSmaller(content))
        #expect(compressed.readableBytes < 2_000)
        // The signature of gzip with deflate, and the content's length at the end: RFC 1952, section 2.3.
        #expect(Array(compressed.readableBytesView.prefix(3)) == [0x1f, 0x8b, 8])
        #expect(
            compressed.getInteger(at: compressed.writerIndex - 4, endianness: .little, as: UInt32.self)
                == UInt32(content.count))
        #expect(GzippedBytes.ifSmaller([1, 2, 3]) == nil)
        #expect(GzippedBytes.ifSmaller([]) == nil)
    }
}
