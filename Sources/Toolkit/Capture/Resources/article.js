// Finds the article of a page, and describes it as a list of texts from which Swift writes a new document.
//
// Each text begins with a letter that tells what it is: `<` and the name of an element that begins, `@` and an attribute
// of that element with its value after a space, `=` and text, `>` for the end of an element.

/**
 * @typedef {object} ArticleMaterial
 * @property {string[]} elements The names of the elements that an article may have.
 * @property {string[]} pictures The addresses, without fragments, of the pictures in the archive.
 * @property {number} maximumNodes The maximum number of nodes of the page.
 * @property {number} maximumLength The maximum length of all texts together, in UTF-16 code units.
 */

/** The elements whose content isn't text of the article. */
const unreadable = new Set(["script", "style", "noscript", "template", "iframe", "frame", "object", "embed", "form-control",
    "button", "input", "select", "textarea", "canvas", "video", "audio", "dialog", "svg", "head", "title", "link", "meta", "nav"]);
/** The elements that only group others, and become `div`. */
const grouping = new Set(["section", "article", "main", "header", "footer", "aside", "address", "center", "fieldset", "form",
    "hgroup", "body", "details", "menu", "dir", "legend", "optgroup"]);
/** Elements that are written by another name. */
const renamedElements = { tt: "code", listing: "pre", xmp: "pre", plaintext: "pre", strike: "s", summary: "p", acronym: "abbr" };
/** The deepest nesting of elements; deeper ones are left out, but not their text. */
const deepest = 100;
/** The lengths from which a text counts as an article: one that Readability found, and that of a page's main element. */
const shortestArticle = 250, shortestMain = 500;

const textOf = (node) => (node?.textContent ?? "").replace(/\s+/g, " ").trim();

/**
 * Shows the picture that the browser chose as each image's only one, so that Readability doesn't choose another.
 *
 * @param {string[]} pictures
 */
function settlePictures(pictures) {
    const known = new Set(pictures);
    for (const image of document.querySelectorAll("img")) {
        const chosen = image.currentSrc;
        if (chosen && (known.has(chosen.replace(/#.*/s, "")) || /^data:image\//.test(chosen))) {
            for (const name of ["srcset", "sizes", "data-src", "data-srcset"]) image.removeAttribute(name);
            image.setAttribute("src", chosen);
            // The width that the page's style gave the picture, which the article has no other way to know.
            const { width } = image.getBoundingClientRect();
            if (width > 0) image.setAttribute("width", String(Math.round(width)));
            image.removeAttribute("height");
            for (const source of image.closest("picture")?.querySelectorAll("source") ?? []) source.remove();
        }
    }
}

/** Removes what a person who looks at the page doesn't see, and links that only mark a heading's own address. */
function removeUnseen() {
    const hidden = [];
    for (const element of document.querySelectorAll("body *")) {
        if (!(element instanceof HTMLElement) || !element.isConnected) continue;
        if (getComputedStyle(element).display === "none") {
            hidden.push(element);
            continue;
        }
        const isMark = element.localName === "a" && /^[¶#§🔗]?$/u.test(textOf(element))
            && (element.getAttribute("href") ?? "").startsWith("#") && !element.querySelector("img");
        if (isMark && !element.id) element.remove();
        else if (isMark) element.textContent = "";
    }
    for (const element of hidden) element.remove();
}

const mainNames = "main, [role=main], article, [itemprop=articleBody]";

/** The elements that are paragraphs, or like them. */
const blockNames = "p, div, ul, ol, dl, pre, blockquote, table, figure, section, article, h1, h2, h3, h4, h5, h6, hr";

/** The page's own main element, if it has exactly one with enough text. */
function mainElement() {
    // The outermost ones.
    const outer = [...document.querySelectorAll(mainNames)].filter((element) => !element.parentElement?.closest(mainNames));
    const long = outer.filter((element) => lengthOf(textOf(element)) >= shortestMain);
    return long.length === 1 ? long[0] : null;
}

/** The attribute by which an element is found again after Readability has moved it. */
const placeName = "data-meanwhile-place";
const placeOf = (element) => Number(element.getAttribute(placeName));

const skippedNames = "nav, footer, form, dialog, [role=navigation], [role=search], [role=dialog], [role=complementary], [role=contentinfo]";
const skippedWords = new RegExp("(^|[-_ ])(ad|ads|advert\\w*|banner|breadcrumbs?|comments?|consent|cookies?|disqus|footer|menu|nav\\w*|newsletter|"
    + "outbrain|pager|pagination|popup|promo\\w*|recommend\\w*|related|share|sharing|social|sponsor\\w*|subscri\\w*|taboola|toolbar)($|[-_ ])", "i");

/** Whether an element that Readability has left out isn't a part of the article, although it's among its paragraphs. */
function isSkipped(element) {
    // An identifier of several words is usually that of a heading.
    const id = /[-_ ].*[-_ ]/.test(element.id) ? "" : element.id;
    if (element.matches(skippedNames) || skippedWords.test(element.getAttribute("class") ?? "") || skippedWords.test(id)) return true;
    const length = textOf(element).length;
    if (length === 0) return !element.querySelector("img, hr") && !element.matches("img, hr, br, wbr");
    // A link within a sentence.
    if ([...element.parentElement?.childNodes ?? []].some((node) => node.nodeType === Node.TEXT_NODE && textOf(node))) return false;
    let linked = 0;
    for (const link of element.querySelectorAll("a[href]")) linked += textOf(link).length;
    if (element.matches("a[href]")) linked = length;
    return linked / length > 0.6;
}

/**
 * The elements of a page's article.
 *
 * Readability finds the article, but also leaves out notes, tables and code that look like advertising to it. An
 * element among the article's paragraphs belongs to the article unless it consists of links, or says that it doesn't.
 *
 * @param {Element} original The body of the page, before Readability changed it.
 * @param {?Element} found
 * @param {?Element} main
 * @param {string} title
 */
function articleElements(original, found, main, title) {
    const kept = new Set(), all = original.querySelectorAll("*"), within = new Set();
    for (const element of found?.querySelectorAll(`[${placeName}]`) ?? []) kept.add(placeOf(element));
    const mainPlaces = new Set(main ? [placeOf(main)] : []);
    let start = Infinity, end = -1;
    for (const place of kept) {
        start = Math.min(start, place);
        end = Math.max(end, place);
    }
    const first = start, final = end;
    for (const element of all) {
        const place = placeOf(element);
        if (mainPlaces.has(place)) {
            start = Math.min(start, place);
            for (const inner of element.querySelectorAll("*")) end = Math.max(end, placeOf(inner));
        }
        if (/^h[12]$/.test(element.localName) && place < start && textOf(element).length > 2
            && (title.includes(textOf(element)) || textOf(element).includes(title))) start = place;
    }
    // What follows the last paragraph that was found, in the element that contains all of them.
    let common = original.querySelector(`[${placeName}="${first}"]`);
    const last = original.querySelector(`[${placeName}="${final}"]`);
    while (common && last && !common.contains(last)) common = common.parentElement;
    if (common && common !== original) for (const inner of common.querySelectorAll("*")) end = Math.max(end, placeOf(inner));
    // An element that contains a part of the article is written, too.
    for (const element of all) {
        if (!kept.has(placeOf(element))) continue;
        for (let outer = element; outer && !within.has(outer); outer = outer.parentElement) within.add(outer);
    }
    return (/** @type {Element} */ element) => {
        if (within.has(element)) return "open";
        const place = placeOf(element);
        const isAmong = place >= start && place <= end;
        const containsStart = place < start && start <= end && element.querySelector(`[${placeName}="${start}"]`);
        if (containsStart) return "open";
        return isAmong && !isSkipped(element) ? "whole" : "skipped";
    };
}

/** The length of a text as a person reads it: a Chinese or Japanese character counts as much as three letters. */
function lengthOf(text) {
    return text.length + 2 * (text.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0);
}

/**
 * Finds the article.
 *
 * @param {ArticleMaterial} material
 */
export function readArticle(material) {
    const none = { texts: [], title: "", byline: "", site: "", language: "", direction: "" };
    if (!document.body || !/html/.test(document.contentType)) return none;
    if (document.getElementsByTagName("*").length > material.maximumNodes) return { ...none, isTooLarge: true };
    settlePictures(material.pictures);
    removeUnseen();
    let place = 0;
    for (const element of document.querySelectorAll("body *")) element.setAttribute(placeName, String(place++));
    const root = document.documentElement, main = mainElement();
    const original = /** @type {HTMLElement} */ (document.body.cloneNode(true));
    const language = root.getAttribute("lang") || root.getAttribute("xml:lang") || "";
    const direction = root.getAttribute("dir") || document.body.getAttribute("dir") || "";
    const ownTitle = document.title, ownMain = main ? textOf(main) : "";
    let article = null;
    try {
        article = new Readability(document, { serializer: (element) => element, keepClasses: false }).parse();
    } catch {
        // A page can make it fail, for example with an element named like a method. It may have a main element anyway.
    }
    const found = lengthOf(textOf(article?.content)) >= shortestArticle ? article.content : null;
    const isPartial = !found || textOf(found).length < 0.7 * ownMain.length;
    if (!found && !main) return none;
    const title = textOf({ textContent: article?.title || ownTitle });
    const choose = articleElements(original, found, isPartial ? main : null, title);
    const events = eventsOf(original, choose, material, title);
    if (!events) return { ...none, isTooLarge: true };
    const { texts, heading, linkedShare } = events;
    // A list of links, such as a home page.
    if (linkedShare > 0.6) return none;
    if (lengthOf(texts.filter((text) => text.startsWith("=")).join("").replace(/\s+/g, " ")) < shortestArticle) return none;
    return {
        texts, title: heading, byline: textOf({ textContent: article?.byline }), site: textOf({ textContent: article?.siteName }),
        language: language || article?.lang || "", direction: article?.dir || direction,
    };
}

/**
 * Describes the article; null if it's too long.
 *
 * @param {Element} body
 * @param {(element: Element) => string} choose
 * @param {ArticleMaterial} material
 * @param {string} title
 */
function eventsOf(body, choose, { elements, pictures, maximumLength }, title) {
    const allowed = new Set(elements), known = new Set(pictures), texts = [];
    const base = document.baseURI, page = document.URL.replace(/#.*/s, "");
    let length = 0, all = 0, linked = 0, hasTitle = false, heading = title;
    const isTitle = (text) => text === title || (text.length > 3 && title.startsWith(text));
    const add = (text) => {
        length += text.length;
        texts.push(text);
    };
    const addAttribute = (name, value) => {
        if (value !== null && value !== undefined && value !== "") add(`@${name} ${value}`);
    };
    const resolved = (address) => {
        try {
            return new URL(address, base).href;
        } catch {
            return null;
        }
    };
    const addPicture = (image) => {
        const address = resolved(image.getAttribute("src") ?? "");
        const isShown = address && (known.has(address.replace(/#.*/s, "")) || /^data:image\//i.test(address));
        const alternative = image.getAttribute("alt") ?? "";
        if (!isShown) {
            if (alternative.trim()) add(`= ${alternative} `);
            return;
        }
        add("<img");
        addAttribute("src", address);
        add(`@alt ${alternative}`);
        addAttribute("width", /^\d{1,5}$/.test(image.getAttribute("width") ?? "") ? image.getAttribute("width") : "");
        add(">");
    };
    const addLink = (link) => {
        const written = link.getAttribute("href"), address = written === null ? null : resolved(written);
        if (!address) return;
        const [start, fragment] = [address.replace(/#.*/s, ""), address.match(/#.*/s)?.[0]];
        // A heading often links to itself.
        if (start === page && fragment && link.closest("h1, h2, h3, h4, h5, h6")) return;
        if (start === page && fragment) addAttribute("href", fragment);
        else if (/^https?:/.test(address)) addAttribute("href", address);
    };
    const nameOf = (element) => {
        const { localName } = element;
        if (Object.hasOwn(renamedElements, localName)) return renamedElements[localName];
        if (localName !== "div" && !grouping.has(localName)) return localName;
        // Many pages write paragraphs as groups.
        const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
        return hasText && !element.querySelector(blockNames) ? "p" : "div";
    };
    const visit = (node, depth, isWhole) => {
        if (length > maximumLength) return;
        if (node.nodeType === Node.TEXT_NODE) {
            if (node.data) add(`=${node.data}`);
            const { length } = node.data.trim();
            all += length;
            if (node.parentElement.closest("a[href]")) linked += length;
            return;
        }
        if (node.nodeType !== Node.ELEMENT_NODE || unreadable.has(node.localName)) return;
        const choice = isWhole ? "whole" : choose(node);
        if (choice === "skipped" || isWhole && node.matches(skippedNames)) return;
        if (node.localName === "img") return addPicture(node);
        if (node.localName === "math") {
            // The formula's source, if the page has it, or else its letters.
            const source = node.getAttribute("alttext") || node.querySelector("annotation")?.textContent;
            if (source) return add(`=${source}`);
        }
        const name = nameOf(node);
        // The page's title is shown once, above the article; its own heading is often shorter.
        if (!hasTitle && /^h[12]$/.test(name) && isTitle(textOf(node))) {
            hasTitle = true;
            heading = textOf(node);
            return;
        }
        const isWritten = allowed.has(name) && depth < deepest;
        if (isWritten) {
            add(`<${name}`);
            for (const attribute of ["id", "lang", "dir"]) addAttribute(attribute, node.getAttribute(attribute));
            if (name === "a") addLink(node);
            for (const attribute of ["colspan", "rowspan", "start", "value"]) {
                const value = node.getAttribute(attribute) ?? "";
                if (/^-?\d{1,5}$/.test(value)) addAttribute(attribute, value);
            }
        }
        for (const child of node.childNodes) visit(child, isWritten ? depth + 1 : depth, choice === "whole");
        if (isWritten) add(">");
    };
    for (const child of body.childNodes) visit(child, 1, false);
    return length > maximumLength ? null : { texts, heading, linkedShare: all > 0 ? linked / all : 0 };
}
