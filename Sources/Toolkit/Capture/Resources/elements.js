// Decides how each element and attribute is written in a document for a viewer.
//
// Elements are matched by local name in any namespace: an XML element named `script` that isn't a script becomes one
// when it is written as HTML.

export const namespaces = { html: "http://www.w3.org/1999/xhtml", svg: "http://www.w3.org/2000/svg",
    math: "http://www.w3.org/1998/Math/MathML" };

export const local = (element) => element.localName.toLowerCase();

const dropped = new Set(["script", "noscript", "base", "applet", "portal", "fencedframe", "basefont", "bgsound"]);
export const drops = (element) => {
    const name = local(element);
    if (dropped.has(name)) return true;
    if (name === "link") return !/\bstylesheet\b/i.test(element.rel || "") || !element.sheet;
    if (name === "meta") return element.hasAttribute("charset") || /^\s*referrer\s*$/i.test(element.name || "")
        || (element.hasAttribute("http-equiv") && !/^\s*(default-style|content-language)\s*$/i.test(element.httpEquiv));
    // Animations of addresses, event handlers and styles.
    return /^(set|animate.*)$/.test(name)
        && /^\s*(xlink:)?(href|src|on.*|style)\s*$/i.test(element.getAttribute("attributeName") || "");
};

// Attributes that load something, navigate, or control how.
export const removed = new RegExp("^(on.*|src|srcset|srcdoc|href|data|poster|action|formaction|formtarget|formmethod|method"
    + "|ping|manifest|profile|codebase|archive|classid|code|longdesc|lowsrc|dynsrc|cite|imagesrcset|imagesizes|nonce"
    + "|integrity|crossorigin|referrerpolicy|fetchpriority|loading|target|rel|rev|download|autofocus|autoplay|allow"
    + "|sandbox|csp|credentialless|attributionsrc|http-equiv-.*|background|style|xml:base|charset|icon"
    + "|shadowroot.*)$", "i");
export const painting = /^(fill|stroke|filter|mask|clip-path|cursor|marker(-start|-mid|-end)?)$/i;

// The candidates of a `srcset`, with their density or width.
const candidates = (list) => {
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
const looks = ["display", "width", "height", "margin", "border", "padding", "position", "float", "vertical-align", "inset",
    "object-fit", "background-color"];

/**
 * Makes the functions that return the attributes of elements that refer to something.
 *
 * @param {ReturnType<typeof import("./references.js").referencesTo>} references
 */
export function attributesBy({ token, resolve, find, reference, isShareable }) {
    const frames = self.framesOfElements || new Map();
    const pageAddress = document.URL.split("#")[0];
    const at = (address, kind = "r") => reference(address, document.baseURI, kind);
    const has = (address) => {
        const found = resolve(address, document.baseURI);
        return !!found && (found.isData || !!find(found.url));
    };
    const choices = (image) => {
        const listed = (element) => candidates(element.getAttribute("srcset") || "")
            .map((choice) => ({ ...choice, sizes: element.getAttribute("sizes") }));
        const picture = image.parentElement;
        const sources = picture && local(picture) === "picture"
            ? [...picture.children].filter((child) => local(child) === "source").flatMap(listed) : [];
        const own = image.getAttribute("src");
        return [...sources, ...listed(image), ...(own === null ? [] : [{ address: own, density: "", sizes: null }])];
    };
    // The candidate that an image shows.
    const chosen = (image) => {
        const all = choices(image), shown = image.currentSrc;
        const url = (choice) => { try { return new URL(choice.address, document.baseURI).href; } catch { return ""; } };
        const current = all.find((choice) => url(choice) === shown);
        // An archive made by another browser may hold another candidate.
        return current && has(current.address) ? current : all.find((choice) => has(choice.address)) || current || all[0];
    };

    // Whether an image can share its picture: a picture that is shown more than once is written to the file once.
    const isPlain = (image) => {
        const found = image.naturalWidth > 0 && image.currentSrc;
        return found && isShareable(image.currentSrc) && !/w\s*$/.test((chosen(image) || {}).density || "")
            && getComputedStyle(image).content === "normal";
    };
    const countPictures = (root, counts) => {
        for (const element of root.querySelectorAll("*")) {
            if (element.shadowRoot) countPictures(element.shadowRoot, counts);
            if (element.localName === "img" && isPlain(element))
                counts.set(element.currentSrc, (counts.get(element.currentSrc) || 0) + 1);
        }
        return counts;
    };
    const counts = countPictures(document, new Map());
    /** @returns {[?string, string][]} */
    const imageAttributes = (image, styles) => {
        const choice = chosen(image);
        if (!choice) return [];
        const density = choice.density && choice.density !== "1x" ? choice.density : "";
        if ((counts.get(image.currentSrc) || 0) > 1 && isPlain(image)) {
            const picture = token("c", resolve(image.currentSrc).url);
            styles.push("content:" + (density ? "image-set(" + picture + " " + density + ")" : picture));
            return [["src", emptyPicture]];
        }
        if (!density) return [["src", at(choice.address)]];
        /** @type {[string, string][]} */
        const listed = [["srcset", at(choice.address) + " " + density]];
        if (choice.sizes !== null) listed.push(["sizes", /auto/i.test(choice.sizes) ? image.width + "px" : choice.sizes]);
        return listed;
    };

    /** @returns {[?string, string][]} */
    const linkAttributes = (element) => {
        const written = element.getAttribute("href") ?? element.getAttributeNS("http://www.w3.org/1999/xlink", "href");
        if (written === null) return [];
        const found = resolve(written, document.baseURI);
        const isHere = found && (found.url === pageAddress || (!/^http/.test(pageAddress) && /^\s*#/.test(written)));
        if (isHere && (found.place || /#\s*$/.test(written))) return [["href", found.place || "#"]];
        if (!found || !/^https?:/.test(found.url)) return [];
        return [["href", found.url + found.place], ["target", "_blank"], ["rel", "noopener noreferrer"]];
    };

    // Objects may not load anything in a viewer, so another element shows their content.
    /** @returns {?{name: string, attributes: [?string, string][], isLeaf: boolean}} */
    const objectAttributes = (element, styles) => {
        const frame = frames.get(element), address = element.getAttribute(local(element) === "embed" ? "src" : "data");
        const found = address === null ? null : resolve(address, document.baseURI);
        const isPicture = found && ((find(found.url) || {}).isPicture || /^data:image\//i.test(found.url));
        if (!isPicture && frame === undefined) return null;
        const style = getComputedStyle(element);
        for (const name of looks) styles.push(name + ":" + style.getPropertyValue(name));
        if (isPicture) return { name: "img", attributes: [["src", at(address)]], isLeaf: true };
        return { name: "iframe", attributes: [[null, token("f", frame)]], isLeaf: true };
    };

    /** @returns {[?string, string][]} */
    const own = (element, name, styles) => {
        switch (name) {
            case "img": return imageAttributes(element, styles);
            case "a": case "area": return linkAttributes(element);
            case "link": return [["rel", element.getAttribute("rel")], ["href", at(element.getAttribute("href") || "", "s")]];
            case "iframe": case "frame":
                return frames.has(element) ? [[null, token(name === "frame" ? "d" : "f", frames.get(element))]] : [];
            case "video": case "audio": {
                const sources = [element.currentSrc, element.getAttribute("src"),
                    ...[...element.children].map((child) => local(child) === "source" ? child.getAttribute("src") : null)];
                const source = sources.find((source) => source && has(source));
                const poster = element.getAttribute("poster");
                /** @type {[string, string][]} */
                const attributes = [];
                if (source) attributes.push(["src", at(source)]);
                if (poster) attributes.push(["poster", at(poster)]);
                return attributes;
            }
            case "input":
                return element.type === "image" && element.hasAttribute("src") ? [["src", at(element.getAttribute("src"))]] : [];
            case "track": return has(element.getAttribute("src") || "") ? [["src", at(element.getAttribute("src"))]] : [];
            default: return [];
        }
    };
    return { own, at, linkAttributes, objectAttributes };
}
