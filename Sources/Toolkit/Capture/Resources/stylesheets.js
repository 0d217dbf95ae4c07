// Rewrites the addresses in CSS.

/**
 * Tokens follow https://www.w3.org/TR/css-syntax-3/#tokenization. Only addresses, comments, and each `<` that might
 * begin markup are changed.
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
    const emptyURL = "url(data:,)";
    const out = [], blocks = [true], brackets = [];
    // The parts of the statement being read, the position in the text, and the statement's first token.
    let parts = [], position = 0;
    /** @type {?{atKeyword?: string, name?: string, colon?: number}} */
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
            while (isSpace(position)) position++;
            if (text[position] !== "/" || text[position + 1] !== "*") return;
            const end = text.indexOf("*/", position + 2);
            position = end < 0 ? text.length : end + 2;
        }
    };
    const matchAt = (expression, index) => { expression.lastIndex = index; return expression.exec(text); };
    const unescape = () => {
        const hex = matchAt(/\\([0-9a-f]{1,6})[ \t\n]?/iy, position);
        if (hex) {
            position += hex[0].length;
            const code = parseInt(hex[1], 16);
            return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code);
        }
        const character = position + 1 < text.length ? String.fromCodePoint(text.codePointAt(position + 1)) : "\ufffd";
        position += 1 + character.length;
        return character;
    };
    const readName = () => {
        let value = "";
        for (;;) {
            const run = matchAt(/[-\w\u0080-\uffff]+/y, position);
            if (run) { value += run[0]; position += run[0].length; }
            else if (isEscape(position)) value += unescape();
            else return value;
        }
    };
    const escapeMarkup = (raw) => raw.replace(/\\[^]|</g, (found) => found === "<" || found === "\\<" ? "\\3c " : found);
    // The source text from `start` to the current position.
    const raw = (start) => escapeMarkup(text.slice(start, position));
    const readString = () => {
        const start = position, quote = text[position++];
        let value = "";
        for (;;) {
            const run = matchAt(/[^"'\\\n]+/y, position);
            if (run) { value += run[0]; position += run[0].length; }
            else if (position >= text.length) return { value, raw: raw(start) + quote };
            else if (text[position] === quote) { position++; return { value, raw: raw(start) }; }
            else if (isNewline(position)) return { raw: raw(start) + "\n" };
            else if (text[position] !== "\\") value += text[position++];
            else if (isNewline(position + 1)) position += 2;
            else if (position + 1 >= text.length) {
                const unescaped = text.slice(start, position++);
                return { value, raw: escapeMarkup(unescaped) + quote };
            }
            else value += unescape();
        }
    };
    // Reads the address after `url(` that has no quotes; returns null if it is invalid.
    const readUnquotedURL = () => {
        let value = "";
        for (;;) {
            const run = matchAt(/[^"'()\\\s\u0000-\u001f\u007f]+/y, position);
            if (run) { value += run[0]; position += run[0].length; }
            else if (position >= text.length) return value;
            else if (text[position] === ")") { position++; return value; }
            else if (isEscape(position)) value += unescape();
            else {
                while (isSpace(position)) position++;
                if (position >= text.length) return value;
                if (text[position] === ")") { position++; return value; }
                while (position < text.length && text[position] !== ")") position += isEscape(position) ? 2 : 1;
                position++;
                return null;
            }
        }
    };
    const readURL = (start) => {
        while (isSpace(position)) position++;
        if (text[position] !== '"' && text[position] !== "'") {
            const value = readUnquotedURL();
            // An invalid address stays invalid, so that the declaration still has no effect.
            if (value === null) append("url(a b)");
            else append({ address: value, raw: raw(start) + (text[position - 1] === ")" ? "" : ")") });
            return;
        }
        const quoted = readString();
        if (quoted.value === undefined) { append("broken("); brackets.push({ close: ")", name: "" }); return; }
        // Request modifiers may follow the string. No browser supports any, so they are left out.
        for (let depth = 1; depth > 0 && position < text.length;) {
            if (text[position] === '"' || text[position] === "'") readString();
            else if (isEscape(position)) position += 2;
            else { depth += text[position] === "(" ? 1 : text[position] === ")" ? -1 : 0; position++; }
        }
        append({ address: quoted.value, raw: "url(" + quoted.raw + ")" });
    };

    const append = (part) => {
        if (head === null) head = {};
        else if (head.name !== undefined && !head.colon && part !== " " && part !== "/**/") head = {};
        parts.push(part);
    };
    const endStatement = (isPrelude) => {
        const atKeyword = head && head.atKeyword, isDeclaration = !isPrelude && !!(head && head.colon);
        const isImport = atKeyword === "import" && !isPrelude && blocks.length === 1 && !isList;
        let shares = false;
        if (isDeclaration && blocks[blocks.length - 1] && parts.some((part) => part.raw && isShareable(part.address, base))) {
            // A browser ignores a declaration that it doesn't know, but not if the declaration has a variable. So only known
            // declarations get variables.
            const value = parts.slice(head.colon).map((part) => part.raw ? emptyURL : part).join("");
            shares = head.name.startsWith("--") || CSS.supports(head.name, value.replace(/!\s*important\s*$/i, ""));
        }
        let isFirst = true;
        for (const part of parts) {
            if (!part.raw) out.push(part);
            else if (atKeyword === "namespace") out.push(part.raw);
            else if (isImport) out.push(isFirst ? 'url("' + reference(part.address, base, "s") + '")' : emptyURL);
            else if (!isDeclaration) out.push(emptyURL);
            else if (/^\s*#/.test(part.address)) out.push(part.raw);
            else if (shares && isShareable(part.address, base)) out.push(reference(part.address, base, "v"));
            else out.push("url(" + reference(part.address, base, "r") + ")");
            if (part.raw) isFirst = false;
        }
        parts = [];
        head = null;
    };

    while (position < text.length) {
        const start = position, character = text[position], bracket = brackets[brackets.length - 1];
        if (isSpace(position) || (character === "/" && text[position + 1] === "*")) {
            skipSpace();
            // Without the comment, the tokens around it might become one.
            if (head) append(character === "/" ? "/**/" : " "); else out.push(" ");
        } else if (character === '"' || character === "'") {
            const quoted = readString();
            const isAddress = quoted.value !== undefined
                && (bracket ? takesStrings.test(bracket.name) : !!head && /^(import|namespace)$/.test(head.atKeyword || ""));
            append(isAddress ? { address: quoted.value, raw: quoted.raw } : quoted.raw);
        } else if (character === "@" && isIdentifier(position + 1)) {
            position++;
            const keyword = readName().toLowerCase();
            if (head === null) { head = { atKeyword: keyword }; parts.push(raw(start)); } else append(raw(start));
        } else if (character === "#") {
            position++;
            readName();
            append(raw(start));
        } else if (/[0-9]/.test(character) || (/[+.-]/.test(character) && matchAt(/[+-]?\.?[0-9]/y, position))) {
            position += matchAt(/[+-]?([0-9]*\.[0-9]+|[0-9]+)(e[+-]?[0-9]+)?/iy, position)[0].length;
            if (isIdentifier(position)) readName();
            append(raw(start));
        } else if (isIdentifier(position)) {
            const word = readName();
            if (text[position] === "(") {
                position++;
                const called = word.toLowerCase();
                if (called === "url") readURL(start);
                else { append(raw(start)); brackets.push({ close: ")", name: called }); }
            } else if (head === null) {
                head = { name: word.startsWith("--") ? word : word.toLowerCase() };
                parts.push(raw(start));
            } else append(raw(start));
        } else if (character === ":" && !bracket && head && head.name !== undefined && !head.colon) {
            position++;
            parts.push(":");
            head.colon = parts.length;
        } else if (character === "(" || character === "[") {
            position++;
            append(character);
            brackets.push({ close: character === "(" ? ")" : "]", name: "" });
        } else if (character === "{" && (bracket || (head && head.colon && head.name.startsWith("--")))) {
            position++;
            append(character);
            brackets.push({ close: "}", name: "" });
        } else if (character === "{") {
            position++;
            const keyword = head && head.atKeyword;
            endStatement(true);
            out.push("{");
            blocks.push(blocks[blocks.length - 1] && (!keyword || grouping.test(keyword)));
        } else if (bracket && character === bracket.close) {
            position++;
            brackets.pop();
            append(character);
        } else if (!bracket && (character === "}" || character === ";")) {
            position++;
            endStatement(false);
            out.push(character);
            if (character === "}" && blocks.length > 1) blocks.pop();
        } else if (character === "<") {
            position += text.startsWith("<!--", position) ? 4 : 1;
            append(position - start === 4 ? " " : /[A-Za-z\/!?]/.test(text[position] || "") ? "< " : "<");
        } else {
            position++;
            if (character === "\\") { append(isNewline(position) ? "\\\n" : "\ufffd"); position++; } else append(character);
        }
    }
    const open = brackets.reverse().map((bracket) => bracket.close).join("");
    if (open) append(open);
    endStatement(false);
    return out.join("") + "}".repeat(blocks.length - 1);
}
