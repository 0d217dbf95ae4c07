// Rewrites the addresses in CSS.

/**
 * Tokens follow https://www.w3.org/TR/css-syntax-3/#tokenization. Everything but addresses stays unchanged, except for
 * comments, and for `<` where it might begin markup.
 *
 * The kinds of references are `s` for a style sheet, `v` for a whole `url()` that may become a `var()`, and `r` for
 * anything else.
 *
 * @param {string} source A style sheet, or a list of declarations.
 * @param {string} base The base of the relative addresses in it.
 * @param {boolean} isList Whether it is a list of declarations, as in an attribute.
 * @param {Pick<ReturnType<typeof import("./references.js").referencesTo>, "reference" | "isShareable">} references
 *     Supplies the replacements of the addresses.
 */
export function rewriteStyle(source, base, isList, { reference, isShareable }) {
    const text = source.replace(/\r\n?|\f/g, "\n").replace(/\0/g, "\ufffd");
    // At-rules whose blocks declare properties, which may use variables. Declarations in other at-rules may not.
    const grouping = /^(media|supports|container|layer|scope|starting-style|(-webkit-)?keyframes)$/;
    const takesStrings = /^(image-set|-webkit-image-set|image|src)$/;
    const nothing = "url(data:,)";
    const out = [], blocks = [true], brackets = [];
    // The parts of the statement being read, the position in the text, and the statement's first token.
    let parts = [], at = 0;
    /** @type {?{at?: string, name?: string, colon?: number}} */
    let head = null;

    const isNewline = (index) => text[index] === "\n";
    const isSpace = (index) => /[ \t\n]/.test(text[index] || "");
    const isNameStart = (index) => /[A-Za-z_\u0080-\uffff]/.test(text[index] || "");
    const isEscape = (index) => text[index] === "\\" && index + 1 < text.length && !isNewline(index + 1);
    const isIdentifier = (index) => text[index] === "-"
        ? text[index + 1] === "-" || isNameStart(index + 1) || isEscape(index + 1)
        : isNameStart(index) || isEscape(index);
    const skipSpace = () => {
        for (;;) {
            while (isSpace(at)) at++;
            if (text[at] !== "/" || text[at + 1] !== "*") return;
            const end = text.indexOf("*/", at + 2);
            at = end < 0 ? text.length : end + 2;
        }
    };
    const sticky = (expression, index) => { expression.lastIndex = index; return expression.exec(text); };
    const unescape = () => {
        const hex = sticky(/\\([0-9a-f]{1,6})[ \t\n]?/iy, at);
        if (hex) {
            at += hex[0].length;
            const code = parseInt(hex[1], 16);
            return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code);
        }
        const character = at + 1 < text.length ? String.fromCodePoint(text.codePointAt(at + 1)) : "\ufffd";
        at += 1 + character.length;
        return character;
    };
    const name = () => {
        let value = "";
        for (;;) {
            const run = sticky(/[-\w\u0080-\uffff]+/y, at);
            if (run) { value += run[0]; at += run[0].length; }
            else if (isEscape(at)) value += unescape();
            else return value;
        }
    };
    const harmless = (raw) => raw.replace(/\\[^]|</g, (found) => found === "<" || found === "\\<" ? "\\3c " : found);
    // The source text from `start` to the current position.
    const raw = (start) => harmless(text.slice(start, at));
    const string = () => {
        const start = at, quote = text[at++];
        let value = "";
        for (;;) {
            const run = sticky(/[^"'\\\n]+/y, at);
            if (run) { value += run[0]; at += run[0].length; }
            else if (at >= text.length) return { value, raw: raw(start) + quote };
            else if (text[at] === quote) { at++; return { value, raw: raw(start) }; }
            else if (isNewline(at)) return { raw: raw(start) + "\n" };
            else if (text[at] !== "\\") value += text[at++];
            else if (isNewline(at + 1)) at += 2;
            else if (at + 1 >= text.length) { at++; return { value, raw: harmless(text.slice(start, at - 1)) + quote }; }
            else value += unescape();
        }
    };
    // The content after `url(` without a quote; null if it is invalid.
    const unquoted = () => {
        let value = "";
        for (;;) {
            const run = sticky(/[^"'()\\\s\u0000-\u001f\u007f]+/y, at);
            if (run) { value += run[0]; at += run[0].length; }
            else if (at >= text.length) return value;
            else if (text[at] === ")") { at++; return value; }
            else if (isEscape(at)) value += unescape();
            else {
                while (isSpace(at)) at++;
                if (at >= text.length) return value;
                if (text[at] === ")") { at++; return value; }
                while (at < text.length && text[at] !== ")") at += isEscape(at) ? 2 : 1;
                at++;
                return null;
            }
        }
    };
    const address = (start) => {
        while (isSpace(at)) at++;
        if (text[at] !== '"' && text[at] !== "'") {
            const value = unquoted();
            // An invalid address stays invalid, so that the declaration still has no effect.
            if (value === null) put("url(a b)");
            else put({ address: value, raw: raw(start) + (text[at - 1] === ")" ? "" : ")") });
            return;
        }
        const quoted = string();
        if (quoted.value === undefined) { put("broken("); brackets.push({ close: ")", name: "" }); return; }
        // A modifier of the request may follow. No browser supports any, so it is left out.
        for (let depth = 1; depth > 0 && at < text.length;) {
            if (text[at] === '"' || text[at] === "'") string();
            else if (isEscape(at)) at += 2;
            else { depth += text[at] === "(" ? 1 : text[at] === ")" ? -1 : 0; at++; }
        }
        put({ address: quoted.value, raw: "url(" + quoted.raw + ")" });
    };

    const put = (part) => {
        if (head === null) head = {};
        else if (head.name !== undefined && !head.colon && part !== " " && part !== "/**/") head = {};
        parts.push(part);
    };
    const finish = (isPrelude) => {
        const at = head && head.at, isDeclaration = !isPrelude && !!(head && head.colon);
        const isImport = at === "import" && !isPrelude && blocks.length === 1 && !isList;
        let shares = false;
        if (isDeclaration && blocks[blocks.length - 1] && parts.some((part) => part.raw && isShareable(part.address, base))) {
            // A browser ignores an unknown declaration, but not one with a variable, so only known ones use variables.
            const value = parts.slice(head.colon).map((part) => part.raw ? nothing : part).join("");
            shares = head.name.startsWith("--") || CSS.supports(head.name, value.replace(/!\s*important\s*$/i, ""));
        }
        let isFirst = true;
        for (const part of parts) {
            if (!part.raw) out.push(part);
            else if (at === "namespace") out.push(part.raw);
            else if (isImport) out.push(isFirst ? 'url("' + reference(part.address, base, "s") + '")' : nothing);
            else if (!isDeclaration) out.push(nothing);
            else if (/^\s*#/.test(part.address)) out.push(part.raw);
            else if (shares && isShareable(part.address, base)) out.push(reference(part.address, base, "v"));
            else out.push("url(" + reference(part.address, base, "r") + ")");
            if (part.raw) isFirst = false;
        }
        parts = [];
        head = null;
    };

    while (at < text.length) {
        const start = at, character = text[at], bracket = brackets[brackets.length - 1];
        if (isSpace(at) || (character === "/" && text[at + 1] === "*")) {
            skipSpace();
            // A comment may separate two tokens that would be one without it.
            if (head) put(character === "/" ? "/**/" : " "); else out.push(" ");
        } else if (character === '"' || character === "'") {
            const quoted = string();
            const isAddress = quoted.value !== undefined
                && (bracket ? takesStrings.test(bracket.name) : !!head && (head.at === "import" || head.at === "namespace"));
            put(isAddress ? { address: quoted.value, raw: quoted.raw } : quoted.raw);
        } else if (character === "@" && isIdentifier(at + 1)) {
            at++;
            const keyword = name().toLowerCase();
            if (head === null) { head = { at: keyword }; parts.push(raw(start)); } else put(raw(start));
        } else if (character === "#") {
            at++;
            name();
            put(raw(start));
        } else if (/[0-9]/.test(character) || (/[+.-]/.test(character) && sticky(/[+-]?\.?[0-9]/y, at))) {
            at += sticky(/[+-]?([0-9]*\.[0-9]+|[0-9]+)(e[+-]?[0-9]+)?/iy, at)[0].length;
            if (isIdentifier(at)) name();
            put(raw(start));
        } else if (isIdentifier(at)) {
            const word = name();
            if (text[at] === "(") {
                at++;
                const called = word.toLowerCase();
                if (called === "url") address(start);
                else { put(raw(start)); brackets.push({ close: ")", name: called }); }
            } else if (head === null) {
                head = { name: word.startsWith("--") ? word : word.toLowerCase() };
                parts.push(raw(start));
            } else put(raw(start));
        } else if (character === ":" && !bracket && head && head.name !== undefined && !head.colon) {
            at++;
            parts.push(":");
            head.colon = parts.length;
        } else if (character === "(" || character === "[") {
            at++;
            put(character);
            brackets.push({ close: character === "(" ? ")" : "]", name: "" });
        } else if (character === "{" && (bracket || (head && head.colon && head.name.startsWith("--")))) {
            at++;
            put(character);
            brackets.push({ close: "}", name: "" });
        } else if (character === "{") {
            at++;
            const keyword = head && head.at;
            finish(true);
            out.push("{");
            blocks.push(blocks[blocks.length - 1] && (!keyword || grouping.test(keyword)));
        } else if (bracket && character === bracket.close) {
            at++;
            brackets.pop();
            put(character);
        } else if (!bracket && (character === "}" || character === ";")) {
            at++;
            finish(false);
            out.push(character);
            if (character === "}" && blocks.length > 1) blocks.pop();
        } else if (character === "<") {
            at += text.startsWith("<!--", at) ? 4 : 1;
            put(at - start === 4 ? " " : /[A-Za-z\/!?]/.test(text[at] || "") ? "< " : "<");
        } else {
            at++;
            if (character === "\\") { put(isNewline(at) ? "\\\n" : "\ufffd"); at++; } else put(character);
        }
    }
    const open = brackets.reverse().map((bracket) => bracket.close).join("");
    if (open) put(open);
    finish(false);
    return out.join("") + "}".repeat(blocks.length - 1);
}
