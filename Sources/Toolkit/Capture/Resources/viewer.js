// Writes a document for a viewer. Tokens mark where the viewer copy gets the address or content of a resource.
//
// A token is the document's mark, a letter, the number of a reference and `z`.

import { drawingParts } from "./drawings.js";
import { attributesBy, isOmitted, lowercasedName, namespaces, paintAttributes, omittedAttributes } from "./elements.js";
import { referencesTo } from "./references.js";
import { serializeDocument } from "./serializer.js";
import { rewriteStyle } from "./stylesheets.js";

const isKnown = (element) => Object.values(namespaces).includes(element.namespaceURI);
const isPicture = /^image\/(?!svg)/.test(document.contentType);
const isRoot = (node) => node === document.documentElement;
// The text of these elements is raw and can't be escaped, so they are written as `pre`, whose text can be.
const renamed = { xmp: "pre", plaintext: "pre", listing: "pre" };

const transitional = /^-\/\/W3C\/\/DTD (XHTML 1\.0|HTML 4\.01) (Transitional|Frameset)\/\//i;
const doctype = () => {
    if (document.compatMode === "BackCompat") return "";
    const type = document.doctype;
    const isHTML = document.contentType === "text/html";
    const isLimitedQuirks = isHTML && type && type.systemId && transitional.test(type.publicId);
    return isLimitedQuirks ? '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
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
    return serializeDocument(Infinity, "", rewriting(material));
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
        const text = rewriteStyle(decode(sheet), sheet.address, false, references);
        return { text, references: [...references.targets] };
    });
}

function decode(sheet) {
    const bytes = Uint8Array.from(atob(sheet.bytes), (byte) => byte.charCodeAt(0));
    const declared = /^@charset "([^"]{1,40})";/.exec(String.fromCharCode(...bytes.slice(0, 60)));
    const byteOrderMark = bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be"
        : bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le"
        : bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? "utf-8" : "";
    const declaredName = declared ? declared[1].replace(/^utf-?16(le|be)?$/i, "utf-8") : "";
    for (const name of [byteOrderMark, sheet.encoding, declaredName]) {
        if (name) try { return new TextDecoder(name).decode(bytes); } catch {}
    }
    return new TextDecoder().decode(bytes);
}

/**
 * Makes the object that tells the serializer how to write a document for a viewer.
 *
 * @param {import("./references.js").Material} material
 * @returns {import("./serializer.js").Rewriting}
 */
function rewriting(material) {
    const references = referencesTo(material), { resolve } = references;
    const { attributesOf, referenceTo, linkAttributes, objectAttributes } = attributesBy(references);
    const inlinedContent = drawingParts(material.drawings, resolve);
    const rewrite = (text, isList) => rewriteStyle(text, document.baseURI, isList, references);
    const paint = (name, value) => rewrite(name + ":" + value, true).slice(name.length + 1);
    /** @type {import("./serializer.js").Rewriting["element"]} */
    const element = (node, changed) => {
        let name = lowercasedName(node), isLeaf = /^(iframe|noembed|noframes|template)$/.test(name);
        const isHTML = node.namespaceURI === namespaces.html, styles = [];
        /** @type {[?string, string][]} */
        let attributes = isHTML ? attributesOf(node, name, styles) : [];
        if (!isKnown(node)) name = "x-" + name.replace(/[^a-z0-9-]/g, "-");
        else if (!isHTML) name = node.localName;
        else if (Object.hasOwn(renamed, name)) name = renamed[name];
        if (isHTML && (name === "object" || name === "embed")) {
            const shown = objectAttributes(node, styles);
            if (shown) ({ name, attributes, isLeaf } = shown);
        }
        const content = !isHTML && name === "use" ? inlinedContent(/** @type {SVGUseElement} */ (node)) : null;
        if (content) name = "g";
        /** @type {[?string, string][]} */
        const attributeList = [];
        for (const { name: attributeName, localName, value } of node.attributes) {
            if (omittedAttributes.test(localName) || omittedAttributes.test(attributeName)) continue;
            if (changed.has(attributeName)) continue;
            if (content && /^(x|y|width|height)$/.test(attributeName)) continue;
            const isPaint = !isHTML && paintAttributes.test(attributeName);
            attributeList.push([attributeName, isPaint ? paint(attributeName, value) : value]);
        }
        for (const [attributeName, value] of changed) {
            if (value !== null && !omittedAttributes.test(attributeName)) attributeList.push([attributeName, value]);
        }
        if (!isHTML) {
            const address = node.getAttribute("href") ?? node.getAttributeNS("http://www.w3.org/1999/xlink", "href");
            if (name === "a") attributeList.push(...linkAttributes(node));
            else if (address !== null && /^\s*#/.test(address)) attributeList.push(["href", address.trim()]);
            else if (address !== null && /^(image|feImage)$/.test(name)) {
                attributeList.push(["href", referenceTo(address)]);
            }
        }
        const background = isHTML ? node.getAttribute("background") : null;
        if (background !== null) attributeList.push(["background", referenceTo(background)]);
        const style = changed.get("style") || node.getAttribute("style");
        if (style) styles.unshift(rewrite(style, true));
        // The browser centres a picture by itself with its own shadow tree, which isn't part of the document.
        if (isPicture && node === document.body) styles.push("display:flex");
        if (styles.length) attributeList.push(["style", styles.join(";")]);
        if (isRoot(node) && name === "svg") {
            for (const side of ["width", "height"]) if (!node.hasAttribute(side)) attributeList.push([side, "100%"]);
        }
        return { name, attributes: [...attributeList, ...attributes], isLeaf, content };
    };

    const head = material.mark + "h0z";
    const hasHead = !!document.head && document.documentElement.localName === "html";
    const rootStyle = document.documentElement && document.documentElement.localName === "svg"
        ? "<style>html,body{height:100%;margin:0}svg{display:block}</style>" : "";
    return {
        head, isOmitted, element,
        style: (text) => rewrite(text, false),
        // A frame that couldn't be loaded shows the browser's error page, which isn't part of the captured page.
        result: (html) => /^chrome-error:/.test(document.URL)
            ? { html: "", references: references.targets, isQuirky: false }
            : { html: doctype() + (hasHead ? "" : head + rootStyle) + html, references: references.targets,
                isQuirky: document.compatMode === "BackCompat" },
    };
}
