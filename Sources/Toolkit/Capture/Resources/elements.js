// Decides how each element and attribute is written in a document for a viewer.
//
// Elements are matched by local name in any namespace: an XML element that is only named `script` would become a script
// once it is written as HTML.

import { markOf } from "./marks.js";

export const namespaces = { html: "http://www.w3.org/1999/xhtml", svg: "http://www.w3.org/2000/svg",
    math: "http://www.w3.org/1998/Math/MathML" };

export const lowercasedName = (element) => element.localName.toLowerCase();

const omittedElements = new Set(["script", "noscript", "base", "applet", "portal", "fencedframe", "basefont",
    "bgsound"]);
export const isOmitted = (element) => {
    const name = lowercasedName(element);
    if (omittedElements.has(name)) return true;
    if (name === "link") return !/\bstylesheet\b/i.test(element.rel || "") || !element.sheet;
    if (name === "meta") return element.hasAttribute("charset") || /^\s*referrer\s*$/i.test(element.name || "")
        || (element.hasAttribute("http-equiv") && !/^\s*(default-style|content-language)\s*$/i.test(element.httpEquiv));
    // Omit animations that set an address, an event handler or a style.
    return /^(set|animate.*)$/.test(name)
        && /^\s*(xlink:)?(href|src|on.*|style)\s*$/i.test(element.getAttribute("attributeName") || "");
};

// Attributes that load a resource, navigate, or control how that is done.
export const omittedAttributes = new RegExp("^(on.*|src|srcset|srcdoc|href|data|poster|action|formaction|formtarget"
    + "|formmethod|method|ping|manifest|profile|codebase|archive|classid|code|longdesc|lowsrc|dynsrc|cite|imagesrcset|imagesizes|nonce"
    + "|integrity|crossorigin|referrerpolicy|fetchpriority|loading|target|rel|rev|download|autofocus|autoplay|allow"
    + "|sandbox|csp|credentialless|attributionsrc|http-equiv-.*|background|style|xml:base|charset|icon"
    + "|shadowroot.*)$", "i");
export const paintAttributes = /^(fill|stroke|filter|mask|clip-path|cursor|marker(-start|-mid|-end)?)$/i;

// Parses a `srcset` into its candidates, each with an address and a density or width.
const parseSrcset = (list) => {
    const found = [];
    for (let index = 0;;) {
        while (index < list.length && /[\s,]/.test(list[index])) index++;
        if (index >= list.length) return found;
        let end = index;
        while (end < list.length && !/\s/.test(list[end])) end++;
        let last = end;
        while (list[last - 1] === ",") last--;
        const address = list.slice(index, last);
        let depth = 0;
        index = end;
        while (last === end && index < list.length && (depth > 0 || list[index] !== ",")) {
            depth += list[index] === "(" ? 1 : list[index] === ")" ? -1 : 0;
            index++;
        }
        found.push({ address, density: last === end ? list.slice(end, index).trim() : "" });
    }
};

const emptyPicture = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";

// The computed styles that are copied from an object to the element that replaces it.
const copiedStyles = ["display", "width", "height", "margin", "border", "padding", "position", "float", "vertical-align",
    "inset", "object-fit", "background-color"];

/**
 * Returns functions for the attributes of elements that refer to resources or to other pages.
 *
 * @param {ReturnType<typeof import("./references.js").referencesTo>} references
 */
export function attributesBy({ token, resolve, resourceAt, reference, isShareable }) {
    const frames = self.framesOfElements || new Map();
    const pageAddress = document.URL.split("#")[0];
    const referenceTo = (address, kind = "r") => reference(address, document.baseURI, kind);
    const hasResource = (address) => {
        const found = resolve(address, document.baseURI);
        return !!found && (found.isData || !!resourceAt(found.url));
    };
    // What an element shows in place of a missing resource; null if nothing is missing, or there is no room for it.
    const markFor = (element, text, address, isBroken = false) => {
        const found = address ? resolve(address, document.baseURI) : null;
        if (!found || !/^https?:/.test(found.url)) return null;
        const resource = resourceAt(found.url);
        // The archive may have the server's error page in place of a picture.
        return !resource || (isBroken && !resource.isPicture) ? markOf(element, text, found.url) : null;
    };
    const imageCandidates = (image) => {
        const listed = (element) => parseSrcset(element.getAttribute("srcset") || "")
            .map((choice) => ({ ...choice, sizes: element.getAttribute("sizes") }));
        const picture = image.parentElement;
        const sources = picture && lowercasedName(picture) === "picture"
            ? [...picture.children].filter((child) => lowercasedName(child) === "source").flatMap(listed) : [];
        const own = image.getAttribute("src");
        return [...sources, ...listed(image), ...(own === null ? [] : [{ address: own, density: "", sizes: null }])];
    };
    // The candidate that an image shows.
    const shownCandidate = (image) => {
        const all = imageCandidates(image), shown = image.currentSrc;
        const url = (choice) => { try { return new URL(choice.address, document.baseURI).href; } catch { return ""; } };
        const current = all.find((choice) => url(choice) === shown);
        // An archive that another browser made may contain another candidate.
        if (current && hasResource(current.address)) return current;
        return all.find((choice) => hasResource(choice.address)) || current || all[0];
    };

    // Whether the image may show its picture through a CSS variable, so that a picture used twice is written only once.
    const canSharePicture = (image) => {
        const found = image.naturalWidth > 0 && image.currentSrc;
        return found && isShareable(image.currentSrc) && !/w\s*$/.test((shownCandidate(image) || {}).density || "")
            && getComputedStyle(image).content === "normal";
    };
    const countPictures = (root, counts) => {
        for (const element of root.querySelectorAll("*")) {
            if (element.shadowRoot) countPictures(element.shadowRoot, counts);
            if (element.localName === "img" && canSharePicture(element))
                counts.set(element.currentSrc, (counts.get(element.currentSrc) || 0) + 1);
        }
        return counts;
    };
    const counts = countPictures(document, new Map());
    /** @returns {[?string, string][]} */
    const imageAttributes = (image, styles) => {
        const choice = shownCandidate(image);
        if (!choice) return [];
        const mark = markFor(image, "Missing picture", choice.address, image.complete && image.naturalWidth === 0);
        if (mark && image.hasAttribute("alt")) return [["src", mark]];
        if (mark) return [["src", mark], ["alt", "Missing picture"]];
        const density = choice.density && choice.density !== "1x" ? choice.density : "";
        if ((counts.get(image.currentSrc) || 0) > 1 && canSharePicture(image)) {
            const picture = token("c", resolve(image.currentSrc).url);
            styles.push("content:" + (density ? "image-set(" + picture + " " + density + ")" : picture));
            return [["src", emptyPicture]];
        }
        if (!density) return [["src", referenceTo(choice.address)]];
        /** @type {[string, string][]} */
        const listed = [["srcset", referenceTo(choice.address) + " " + density]];
        if (choice.sizes !== null) listed.push(["sizes", /auto/i.test(choice.sizes) ? image.width + "px" : choice.sizes]);
        return listed;
    };

    /** @returns {[?string, string][]} */
    const linkAttributes = (element) => {
        const written = element.getAttribute("href") ?? element.getAttributeNS("http://www.w3.org/1999/xlink", "href");
        if (written === null) return [];
        const found = resolve(written, document.baseURI);
        const isOnThisPage =
            found && (found.url === pageAddress || (!/^http/.test(pageAddress) && /^\s*#/.test(written)));
        if (isOnThisPage && (found.fragment || /#\s*$/.test(written))) {
            return [["href", token("b", "") + (found.fragment || "#")]];
        }
        if (!found || !/^https?:/.test(found.url)) return [];
        return [["href", token("l", found.url + found.fragment)], ["target", "_blank"], ["rel", "noopener noreferrer"]];
    };

    // A viewer loads nothing for `object` and `embed`, so an image or a frame shows their content.
    /** @returns {?{name: string, attributes: [?string, string][], isLeaf: boolean}} */
    const objectAttributes = (element, styles) => {
        const frame = frames.get(element), isEmbed = lowercasedName(element) === "embed";
        const address = element.getAttribute(isEmbed ? "src" : "data");
        const found = address === null ? null : resolve(address, document.baseURI);
        const isPicture = found && ((resourceAt(found.url) || {}).isPicture || /^data:image\//i.test(found.url));
        if (!isPicture && frame === undefined) return null;
        const style = getComputedStyle(element);
        for (const name of copiedStyles) styles.push(name + ":" + style.getPropertyValue(name));
        if (isPicture) return { name: "img", attributes: [["src", referenceTo(address)]], isLeaf: true };
        return { name: "iframe", attributes: [[null, token("f", frame)]], isLeaf: true };
    };

    /** @returns {[?string, string][]} */
    const attributesOf = (element, name, styles) => {
        switch (name) {
            case "img": return imageAttributes(element, styles);
            case "a": case "area": return linkAttributes(element);
            case "link": {
                const address = element.getAttribute("href") || "";
                return [["rel", element.getAttribute("rel")], ["href", referenceTo(address, "s")]];
            }
            case "iframe": case "frame": {
                const address = element.hasAttribute("srcdoc") ? null : element.getAttribute("src");
                const mark = markFor(element, "Missing frame", address);
                if (mark) return [["src", mark]];
                return frames.has(element) ? [[null, token(name === "frame" ? "d" : "f", frames.get(element))]] : [];
            }
            case "video": case "audio": {
                const children = [...element.children].filter((child) => lowercasedName(child) === "source");
                const sources = [element.currentSrc, element.getAttribute("src"),
                    ...children.map((child) => child.getAttribute("src"))];
                const source = sources.find((source) => source && hasResource(source));
                const poster = element.getAttribute("poster");
                /** @type {[string, string][]} */
                const attributes = [];
                if (source) attributes.push(["src", referenceTo(source)]);
                if (poster) attributes.push(["poster", referenceTo(poster)]);
                return attributes;
            }
            case "input":
                if (element.type !== "image" || !element.hasAttribute("src")) return [];
                return [["src", referenceTo(element.getAttribute("src"))]];
            case "track": {
                const address = element.getAttribute("src") || "";
                return hasResource(address) ? [["src", referenceTo(address)]] : [];
            }
            default: return [];
        }
    };
    return { attributesOf, referenceTo, linkAttributes, objectAttributes };
}
