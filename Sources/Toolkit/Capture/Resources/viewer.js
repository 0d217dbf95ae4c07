// Writes a document for a viewer, with tokens where resources are to be inserted.
//
// A token is the document's mark, a letter, the number of a reference and `z`.

import { drawingParts } from "./drawings.js";
import { attributesBy, drops, local, namespaces, painting, removed } from "./elements.js";
import { referencesTo } from "./references.js";
import { serializeDocument } from "./serializer.js";
import { rewriteStyle } from "./stylesheets.js";

const isKnown = (element) => Object.values(namespaces).includes(element.namespaceURI);
const isPicture = /^image\/(?!svg)/.test(document.contentType);
const isRoot = (node) => node === document.documentElement;
// Their text is raw and can't be escaped, so they are written as `pre`, whose text is.
const renamed = { xmp: "pre", plaintext: "pre", listing: "pre" };

const transitional = /^-\/\/W3C\/\/DTD (XHTML 1\.0|HTML 4\.01) (Transitional|Frameset)\/\//i;
const doctype = () => {
    if (document.compatMode === "BackCompat") return "";
    const type = document.doctype;
    const isAlmost = type && type.systemId && transitional.test(type.publicId) && document.contentType === "text/html";
    return isAlmost ? '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
        + '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">' : "<!DOCTYPE html>";
};

/**
 * Records which frame an element owns.
 *
 * @param {Element} element
 * @param {string} frame
 */
export function noteFrame(element, frame) {
    (self.framesOfElements ||= new Map()).set(element, frame);
    return true;
}

/** @param {import("./references.js").Material} material */
export function serializeForViewer(material) {
    return serializeDocument(Infinity, rewriting(material));
}

/**
 * Rewrites style sheets.
 *
 * @param {{address: string, bytes: string, encoding: string}[]} sheets Their bytes are base64-encoded.
 * @param {import("./references.js").Material} material
 */
export function rewriteStyleSheets(sheets, material) {
    const references = referencesTo(material);
    return sheets.map((sheet) => {
        references.clear();
        return { text: rewriteStyle(decode(sheet), sheet.address, false, references), references: [...references.list] };
    });
}

function decode(sheet) {
    const bytes = Uint8Array.from(atob(sheet.bytes), (byte) => byte.charCodeAt(0));
    const said = /^@charset "([^"]{1,40})";/.exec(String.fromCharCode(...bytes.slice(0, 60)));
    const marked = bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be"
        : bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "";
    for (const name of [marked, sheet.encoding, said ? said[1].replace(/^utf-?16(le|be)?$/i, "utf-8") : ""]) {
        if (name) try { return new TextDecoder(name).decode(bytes); } catch {}
    }
    return new TextDecoder().decode(bytes);
}

/**
 * Combines the decisions into the serializer's interface.
 *
 * @param {import("./references.js").Material} material
 * @returns {import("./serializer.js").Rewriting}
 */
function rewriting(material) {
    const references = referencesTo(material), { resolve } = references;
    const { own, at, linkAttributes, objectAttributes } = attributesBy(references);
    const used = drawingParts(material.drawings, resolve);
    const rewrite = (text, isList) => rewriteStyle(text, document.baseURI, isList, references);
    const paint = (name, value) => rewrite(name + ":" + value, true).slice(name.length + 1);
    /** @type {import("./serializer.js").Rewriting["element"]} */
    const element = (node, changed) => {
        let name = local(node), isLeaf = /^(iframe|noembed|noframes|template)$/.test(name);
        const isHTML = node.namespaceURI === namespaces.html, styles = [];
        /** @type {[?string, string][]} */
        let attributes = isHTML ? own(node, name, styles) : [];
        if (!isKnown(node)) name = "x-" + name.replace(/[^a-z0-9-]/g, "-");
        else if (!isHTML) name = node.localName;
        else if (Object.hasOwn(renamed, name)) name = renamed[name];
        if (isHTML && (name === "object" || name === "embed")) {
            const shown = objectAttributes(node, styles);
            if (shown) ({ name, attributes, isLeaf } = shown);
        }
        const content = !isHTML && name === "use" ? used(/** @type {SVGUseElement} */ (node)) : null;
        if (content) name = "g";
        /** @type {[?string, string][]} */
        const list = [];
        for (const { name: called, localName, value } of node.attributes) {
            if (changed.has(called) || removed.test(localName) || removed.test(called)) continue;
            if (content && /^(x|y|width|height)$/.test(called)) continue;
            list.push([called, !isHTML && painting.test(called) ? paint(called, value) : value]);
        }
        for (const [called, value] of changed) {
            if (value !== null && !removed.test(called)) list.push([called, value]);
        }
        if (!isHTML) {
            const address = node.getAttribute("href") ?? node.getAttributeNS("http://www.w3.org/1999/xlink", "href");
            if (name === "a") list.push(...linkAttributes(node));
            else if (address !== null && /^\s*#/.test(address)) list.push(["href", address.trim()]);
            else if (address !== null && /^(image|feImage)$/.test(name)) list.push(["href", at(address)]);
        }
        const background = isHTML ? node.getAttribute("background") : null;
        if (background !== null) list.push(["background", at(background)]);
        const style = changed.get("style") || node.getAttribute("style");
        if (style) styles.unshift(rewrite(style, true));
        // The browser centres a picture by itself with its own shadow tree, which isn't part of the document.
        if (isPicture && node === document.body) styles.push("display:flex");
        if (styles.length) list.push(["style", styles.join(";")]);
        if (isRoot(node) && name === "svg") {
            for (const side of ["width", "height"]) if (!node.hasAttribute(side)) list.push([side, "100%"]);
        }
        return { name, attributes: [...list, ...attributes], isLeaf, content };
    };

    const head = material.mark + "h0z";
    const hasHead = !!document.head && document.documentElement.localName === "html";
    const wrapping = document.documentElement && document.documentElement.localName === "svg"
        ? "<style>html,body{height:100%;margin:0}svg{display:block}</style>" : "";
    return {
        head, drops, element,
        style: (text) => rewrite(text, false),
        // The browser's error page for a frame that couldn't be loaded isn't part of the page.
        whole: (html) => /^chrome-error:/.test(document.URL) ? { html: "", references: references.list, isQuirky: false }
            : { html: doctype() + (hasHead ? "" : head + wrapping) + html, references: references.list,
                isQuirky: document.compatMode === "BackCompat" },
    };
}
