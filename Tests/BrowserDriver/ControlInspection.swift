import Foundation

/// The controls of a page, and problems that tests of the controls' functions wouldn't find.
struct ControlInspection: Decodable, Sendable {
    /// The tags of all controls.
    var seen: Set<String>
    /// The problems found, in words.
    var failures: [String]

    /// The selector of everything that a user can press.
    private static let kinds = """
        form, button, summary, [role=button], [role^=menuitem], \
        input:is([type=submit], [type=button], [type=image], [type=reset])
        """

    private struct Page: Encodable {
        var path: String
        var selectors: [String]
    }

    /// A script that inspects the page and returns its inspection.
    ///
    /// A control that no row of the tests' table uses is a failure. So is a control whose name or id shadows a property
    /// of its form: if a control is named `action`, `form.action` returns that control. Only `name` is allowed: it is
    /// the usual name of the field for a name, and neither browsers nor scripts use that property of a form.
    ///
    /// - Parameter covered: The paths of pages, as regular expressions, each with the selectors of the page's rows.
    /// - Returns: The script.
    static func script(covered: [(path: String, selectors: [String])]) -> String {
        let pages = covered.map { Page(path: "^\($0.path)$", selectors: $0.selectors) }
        // Encoding strings can't fail.
        let json = (try? JSONEncoder().encode(pages)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
        return """
            (() => {
                const pagePath = location.pathname;
                const pages = \(json).filter(({ path }) => new RegExp(path).test(pagePath));
                const selectors = Array.from(new Set(pages.flatMap((page) => page.selectors)));
                const templates = Array.from(document.querySelectorAll('template'), ({ content }) => content);
                const all = (kinds) =>
                    [document, ...templates].flatMap((root) => Array.from(root.querySelectorAll(kinds)));
                const tag = (element) => element.cloneNode(false).outerHTML;
                const isCovered = (control) => selectors.some((selector) => control.matches(selector)
                    || (control instanceof HTMLFormElement && control.querySelector(selector)));
                const unused = all(`\(kinds)`).filter((control) => !isCovered(control))
                    .map((control) => `No row of the table uses ${tag(control)} of ${pagePath}.`);
                const fields = all('button, fieldset, img, input, object, output, select, textarea');
                const shadows = fields.filter((field) => field.form ?? field.closest('form')).flatMap((field) =>
                    [field.name, field.id]
                        .filter((name) => name && name in HTMLFormElement.prototype && name !== 'name')
                        .map((name) => `${tag(field)} of ${pagePath} hides its form's own property ${name}.`));
                return { seen: all(`\(kinds)`).map(tag), failures: [...unused, ...shadows] };
            })()
            """
    }
}
