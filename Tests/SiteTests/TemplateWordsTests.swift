import Testing

@testable import Site

@Suite struct TemplateWordsTests {
    private func templates(
        _ source: String, _ words: [String: String], partials: [String: String] = [:]
    ) throws -> Templates {
        var sources = partials.mapValues { Array($0.utf8) }
        sources["page"] = Array(source.utf8)
        return try Templates(sources, words: ["page": words])
    }

    private func wordProblem(_ source: String, _ words: [String: String]) throws -> String? {
        do {
            _ = try templates(source, words)
            return nil
        } catch let problem as WordProblem {
            return problem.description
        }
    }

    @Test func wordsReplaceTheirTags() throws {
        let templates = try templates(
            #"<a title="{{word.tip}}">{{word.open}}</a> {{word.open}}"#, ["open": "Open", "tip": "See “all” & more"])
        let markup = templates.render("page", [:] as [String: Any]).markup
        #expect(markup == #"<a title="See “all” &amp; more">Open</a> Open"#)
    }

    @Test func markupInAWordIsEscapedAndTagsAreNot() throws {
        let templates = try templates(
            "<p>{{word.saved}}</p>", ["saved": "<b>{{name}}</b>, on {{> time}}'s page"],
            partials: ["time": "<time>{{time}}</time>"])
        let markup = templates.render("page", ["name": "<i>", "time": "14:05"]).markup
        #expect(markup == "<p>&lt;b&gt;&lt;i&gt;&lt;/b&gt;, on <time>14:05</time>&#39;s page</p>")
    }

    @Test func wordCannotInsertAValueUnescaped() {
        #expect(throws: UnsafeTemplate.self) { try templates("<p>{{word.name}}</p>", ["name": "{{{name}}}"]) }
        #expect(throws: UnsafeTemplate.self) { try templates("<p>{{word.name}}</p>", ["name": "{{& name}}"]) }
    }

    @Test func missingAndUnusedWordsAreErrors() throws {
        #expect(try wordProblem("{{word.b}} {{word.a}}", [:]) == "the template page uses the missing word a")
        #expect(try wordProblem("{{word.a}}", ["a": "A", "b": "B"]) == "the template page doesn't use the word b")
        #expect(try wordProblem("{{word.a}}", ["a": "A"]) == nil)
        #expect(throws: WordProblem("there are words for other, which isn't a template")) {
            try Templates(["page": []], words: ["other": ["a": "A"]])
        }
    }

    @Test(arguments: ["{{ word.a }}", "{{#word.a}}{{/word.a}}", "{{{html(word.a)}}}", "{{word.a.b}}"])
    func otherUsesOfAWordAreErrors(tag: String) throws {
        let problem = try #require(try wordProblem("{{word.a}}\(tag)", ["a": "A"]))
        #expect(problem.hasSuffix("which isn't of the form {{word.key}}"))
    }
}

@Suite struct ScriptWordsTests {
    @Test func textIsAConstantAndATextWithTagsIsAFunction() {
        let module = ScriptWords.module([
            "undo": #"Undo “all” or "none" \ "#, "moved": "{{name}} is above {{other}}; {{name}} moved",
            "lines": "One\nTwo",
        ])
        #expect(
            String(decoding: module, as: UTF8.self) == #"""
                export const lines = "One\nTwo";
                export const moved = ({ name, other }) => "" + name + " is above " + other + "; " + name + " moved";
                export const undo = "Undo “all” or \"none\" \\ ";

                """#)
    }

    @Test func tableImportsAndExportsItsWords() {
        let files = [
            "a/words.js": ScriptWords.module(["one": "One", "two": "{{count}} things"]),
            "a/table.js": ScriptWords.table(of: ["one", "two"]),
            "a/main.js": Array("import { words } from \"./table.js\";\nconsole.log(words.one);\n".utf8),
        ]
        #expect(StaticFiles.scriptProblems(in: files) == [])
    }

    @Test func wordThatNoScriptUsesIsAProblem() {
        let files = [
            "a/words.js": ScriptWords.module(["one": "One", "two": "{{count}} things"]),
            "a/main.js": Array("import { one } from \"./words.js\";\nconsole.log(one);\n".utf8),
            "b/main.js": Array("import { two } from \"../a/words.js\";\nconsole.log(two);\n".utf8),
        ]
        #expect(StaticFiles.scriptProblems(in: files) == ["a/words.js: no script imports two"])
        let missing = files.merging(["a/other.js": Array("import { two, three } from \"./words.js\";".utf8)]) { $1 }
        #expect(
            StaticFiles.scriptProblems(in: missing)
                == ["a/other.js: a/other.js imports three, which a/words.js doesn't export"])
    }
}
