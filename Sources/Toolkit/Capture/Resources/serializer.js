// Serializes a document as HTML, in its state after its scripts ran.

import { withOwnStyles } from "./frozen.js";

/**
 * @typedef {object} Rewriting Decides how each element is written.
 * @property {string} head What is written first in the head.
 * @property {(element: Element) => boolean} isOmitted Whether an element isn't written.
 * @property {(element: Element, changed: Map<string, ?string>) => {
 *     name: string, attributes: [?string, string][], isLeaf: boolean, content: ?DocumentFragment}} element
 *     How an element is written. An attribute without a name is already complete.
 * @property {(text: string) => string} style Rewrites a style sheet.
 * @property {(html: string) => any} result Makes the result.
 */

/**
 * Follows https://html.spec.whatwg.org/multipage/parsing.html#serialising-html-fragments. It also writes what would be
 * lost without the scripts: shadow trees, constructed style sheets, the state of form fields, the pictures on canvases,
 * and frames whose documents were written rather than loaded. It omits `noscript`, as WebKit does, because the page's
 * scripts ran.
 *
 * @param {number} limit The maximum length of the HTML, in UTF-16 code units. A longer document isn't returned.
 * @param {string} address The address that the document is stored under; empty for its own.
 * @param {?Rewriting} rewriting Without one, elements are written as they are.
 */
export function serializeDocument(limit, address, rewriting = null) {
    return withOwnStyles(() => serialized(limit, address, rewriting));
}

function serialized(limit, address, rewriting) {
    const tooLong = {};
    let length = 0;
    // Throws as soon as the text is too long, before it is joined.
    const boundedParts = () => {
        const parts = [];
        return { push: (...texts) => {
            for (const text of texts) if ((length += text.length) > limit) throw tooLong;
            parts.push(...texts);
        }, join: () => parts.join("") };
    };
    const html = "http://www.w3.org/1999/xhtml";
    const voidElements = new Set(["area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img",
        "input", "keygen", "link", "meta", "param", "source", "track", "wbr"]);
    // The types of inputs whose value isn't part of a page's text, or must not be stored.
    const valueless = new Set(["checkbox", "radio", "password", "file", "hidden"]);
    const rawText = new Set(["style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext"]);
    const text = (value) => value.replace(/&/g, "&amp;").replace(/\u00a0/g, "&nbsp;")
        .replace(/</g, "&lt;").replace(/>/g, "&gt;");
    const attributeText = (value) => text(value).replace(/"/g, "&quot;");
    const attribute = (name, value) => " " + name + '="' + attributeText(value) + '"';
    // The base of relative addresses must be written if it isn't the address that the document is stored under.
    const base = address && address !== document.URL.split("#")[0] && !document.querySelector("base[href]")
        ? document.baseURI : "";
    const headStart = rewriting ? rewriting.head : base ? "<base" + attribute("href", base) + ">" : "";

    const textOfRules = (sheet) => {
        try { return [...sheet.cssRules].map((rule) => rule.cssText).join("\n"); } catch { return null; }
    };
    // A style element's text doesn't reflect rules that scripts inserted or removed.
    const styleText = (element) => {
        const written = element.textContent, sheet = element.sheet;
        if (!sheet || /@import/i.test(written)) return written;
        const now = textOfRules(sheet);
        if (now === null) return written;
        try {
            const probe = new CSSStyleSheet();
            probe.replaceSync(written);
            if (textOfRules(probe) === now) return written;
        } catch { return written; }
        return now;
    };
    const style = (text) => rewriting ? rewriting.style(text) : text;
    const adoptedStyles = (root) => (root.adoptedStyleSheets || []).filter((sheet) => !sheet.disabled).map((sheet) => {
        const media = sheet.media && sheet.media.mediaText;
        const content = escapeEndTags(style(textOfRules(sheet) || ""), "style");
        return "<style" + (media ? attribute("media", media) : "") + ">" + content + "</style>";
    }).join("");
    const escapeEndTags = (content, name) => content.replace(new RegExp("</(?=" + name + ")", "gi"), "<\\/");

    /** What a canvas of the same size has before anything is drawn. */
    const emptyDrawing = ({ width, height, ownerDocument }) => {
        const empty = ownerDocument.createElement("canvas");
        empty.width = width;
        empty.height = height;
        return empty.toDataURL();
    };
    /**
     * The style of a canvas whose drawing is its background, also where scripts don't run: there, it is laid out as an
     * inline element, which has no size of its own.
     */
    const canvasStyle = (element) => {
        const styles = [], written = element.getAttribute("style");
        if (written) styles.push(written.replace(/;\s*$/, ""));
        const used = getComputedStyle(element), computed = element.computedStyleMap();
        if (used.display === "inline") styles.push("display:inline-block");
        if (String(computed.get("width")) === "auto") {
            styles.push("width:" + (used.width.endsWith("px") ? used.width : element.width + "px"));
        }
        // Chromium takes the ratio of a canvas without attributes from its drawing.
        if (element.width && element.height && String(computed.get("aspect-ratio")) === "auto") {
            styles.push("aspect-ratio:" + element.width + "/" + element.height);
        }
        try {
            const drawing = element.toDataURL();
            // A page that was saved before shows the drawing as a background of an empty canvas.
            if (element.width && element.height && drawing !== emptyDrawing(element)) {
                styles.push("background:url(" + drawing + ") 0 0/100% 100% no-repeat content-box");
            }
        } catch {}
        return styles.join(";");
    };

    const changedAttributes = (element) => {
        const changed = new Map();
        const set = (name, on) => changed.set(name, on ? "" : null);
        switch (element.localName) {
            case "input":
                if (element.checked !== element.defaultChecked) set("checked", element.checked);
                if (!valueless.has(element.type) && element.value !== element.defaultValue)
                    changed.set("value", element.value);
                break;
            case "option":
                if (element.selected !== element.defaultSelected) set("selected", element.selected);
                break;
            case "canvas":
                changed.set("style", canvasStyle(element) || null);
                break;
            case "iframe": {
                // With rewriting, each frame is serialized separately.
                if (rewriting) break;
                let inner = null;
                try { inner = element.contentDocument; } catch {}
                if (!inner || !inner.documentElement) break;
                const written = inner.URL === "about:srcdoc"
                    || (inner.URL === "about:blank" && inner.body && inner.body.childNodes.length > 0);
                if (written && !element.hasAttribute("sandbox")) changed.set("srcdoc", serialize(inner));
                break;
            }
        }
        if (element.nonce) changed.set("nonce", element.nonce);
        return changed;
    };

    const openTag = (element) => {
        const name = element.namespaceURI === html ? element.localName : element.tagName;
        const changed = element.namespaceURI === html ? changedAttributes(element) : new Map();
        if (rewriting) {
            const { name, attributes, isLeaf, content } = rewriting.element(element, changed);
            // An attribute without a name is already complete.
            const written = attributes.map(([name, value]) => name === null ? value : attribute(name, value)).join("");
            return [name, "<" + name + written + ">", isLeaf, content];
        }
        let tag = "<" + name;
        for (const { name, value } of element.attributes) {
            if (!changed.has(name)) tag += attribute(name, value);
        }
        for (const [name, value] of changed) if (value !== null) tag += attribute(name, value);
        return [name, tag + ">"];
    };

    // An explicit stack instead of recursion, because a document can be nested deeper than the call stack allows.
    const serializeChildren = (root, out) => {
        const stack = [...root.childNodes].reverse();
        while (stack.length) {
            const node = stack.pop();
            if (typeof node === "string") { out.push(node); continue; }
            switch (node.nodeType) {
                case 1: {
                    const isHTML = node.namespaceURI === html;
                    if (isHTML && node.localName === "noscript") break;
                    if (rewriting && rewriting.isOmitted(node)) break;
                    const [name, tag, isLeaf, content] = openTag(node);
                    out.push(tag);
                    if (isHTML && voidElements.has(name)) break;
                    if (isLeaf) { out.push("</" + name + ">"); break; }
                    if (node === document.head) out.push(headStart);
                    if (isHTML && name === "style") {
                        out.push(escapeEndTags(style(styleText(node)), "style"), "</style>");
                        break;
                    }
                    if (rewriting && name === "style") { out.push(text(style(node.textContent)), "</style>"); break; }
                    if (isHTML && name === "textarea") {
                        out.push((node.value.startsWith("\n") ? "\n" : "") + text(node.value), "</textarea>");
                        break;
                    }
                    // Its content would be shown where scripts don't run.
                    if (isHTML && name === "canvas") { out.push("</canvas>"); break; }
                    if (isHTML && (name === "pre" || name === "listing") && node.firstChild
                        && node.firstChild.nodeType === 3 && node.firstChild.data.startsWith("\n")) out.push("\n");
                    if (node.shadowRoot) {
                        const root = node.shadowRoot;
                        out.push('<template shadowrootmode="' + root.mode + '"'
                            + (root.delegatesFocus ? ' shadowrootdelegatesfocus=""' : "") + ">");
                        serializeChildren(root, out);
                        out.push(adoptedStyles(root), "</template>");
                    }
                    stack.push("</" + name + ">");
                    if (isHTML && name === "head" && node.ownerDocument.head === node) {
                        stack.push(adoptedStyles(node.ownerDocument));
                    }
                    const from = content || (isHTML && name === "template" ? node.content : node);
                    for (let child = from.lastChild; child; child = child.previousSibling) stack.push(child);
                    break;
                }
                case 3: case 4: {
                    const parent = node.parentNode;
                    const isRaw = !rewriting && parent && parent.namespaceURI === html && rawText.has(parent.localName);
                    out.push(isRaw ? node.data : text(node.data));
                    break;
                }
            }
            // The content of the other node types can't be escaped, so a rewritten document omits them.
            if (rewriting) continue;
            switch (node.nodeType) {
                case 7: out.push("<?" + node.target + " " + node.data + ">"); break;
                case 8: out.push("<!--" + node.data + "-->"); break;
                case 10: {
                    const system = node.systemId ? ' "' + node.systemId + '"' : "";
                    const external = node.publicId ? ' PUBLIC "' + node.publicId + '"' + system
                        : node.systemId ? ' SYSTEM "' + node.systemId + '"' : "";
                    out.push("<!DOCTYPE " + node.name + external + ">");
                    break;
                }
            }
        }
        return out;
    };
    // A copy, because the page would notice an element that is added to its own document.
    const withBase = () => {
        const copy = /** @type {Document} */ (document.cloneNode(true)), element = copy.createElementNS(html, "base");
        element.setAttribute("href", base);
        if (copy.head) copy.head.prepend(element);
        return copy;
    };
    const serialize = (root) => {
        if (rewriting) return rewriting.result(serializeChildren(root, boundedParts()).join());
        if (root.contentType === "application/xhtml+xml")
            return new XMLSerializer().serializeToString(base && root === document ? withBase() : root);
        return serializeChildren(root, boundedParts()).join();
    };
    if (rewriting) return serialize(document);
    let written = "", isTooLong = false;
    try {
        written = serialize(document);
        isTooLong = written.length > limit;
    } catch (error) {
        // A browser's longest string has about 500 million code units.
        if (error !== tooLong && !(error instanceof RangeError)) throw error;
        isTooLong = true;
    }
    return { html: isTooLong ? "" : written, isTooLong, url: document.URL, contentType: document.contentType };
}
