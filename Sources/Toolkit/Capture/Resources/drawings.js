// Inlines parts of other drawings where `use` elements refer to them, because browsers load none from `data:`
// addresses.

import { namespaces } from "./elements.js";

/** The addresses, without fragments, of other drawings that the document's `use` elements refer to. */
export function usedDrawings() {
    const found = new Set();
    const collect = (root) => {
        for (const element of root.querySelectorAll("*")) {
            if (element.shadowRoot) collect(element.shadowRoot);
            if (element.localName !== "use" || !element.href || /^\s*(#|$)/.test(element.href.baseVal)) continue;
            try {
                const url = new URL(element.href.baseVal, document.baseURI);
                url.hash = "";
                found.add(url.href);
            } catch {}
        }
    };
    collect(document);
    return [...found];
}

/**
 * Makes a function that returns what a `use` element shows of another drawing.
 *
 * @param {Record<string, string>} drawings The text of the drawings, by address.
 * @param {(address: string, base: string) => ?{url: string, place: string}} resolve
 * @returns {(element: SVGUseElement) => ?DocumentFragment}
 */
export function drawingParts(drawings, resolve) {
    const readDrawings = new Map();
    // The budget of all inlined parts, in characters. A part that is used twice is inlined twice.
    let drawingRoom = 4 << 20;
    const drawing = (address) => {
        if (!Object.hasOwn(drawings, address)) return null;
        if (!readDrawings.has(address)) {
            const read = new DOMParser().parseFromString(drawings[address], "image/svg+xml");
            readDrawings.set(address, read.querySelector("parsererror") ? null : read);
        }
        return readDrawings.get(address);
    };
    const partOf = (source, place) => {
        if (!place) return source.documentElement;
        try { return source.getElementById(decodeURIComponent(place.slice(1))); } catch { return null; }
    };
    // The elements of the drawing that a part refers to, directly or indirectly.
    const referred = (source, part) => {
        const found = new Set(), work = [part];
        while (work.length) {
            const next = work.pop();
            for (const element of [next, ...next.querySelectorAll("*")]) {
                for (const { value } of element.attributes) {
                    const match = /^\s*#(\S+)|url\(\s*["']?#([^"')\s]+)/.exec(value);
                    const other = match && source.getElementById(match[1] || match[2]);
                    if (!other || found.has(other) || part.contains(other) || other.contains(part)) continue;
                        found.add(other);
                        work.push(other);
                }
            }
        }
        return [...found];
    };
    const used = (element) => {
        // `use` elements inside inlined drawings aren't resolved.
        if (element.ownerDocument !== document) return null;
        const found = resolve(element.href ? element.href.baseVal : "", document.baseURI);
        const source = found && drawing(found.url), part = source && partOf(source, found.place);
        if (!part) return null;
        const others = referred(source, part);
        drawingRoom -= [part, ...others].reduce((sum, each) => sum + each.outerHTML.length, 0);
        if (drawingRoom < 0) return null;
        const make = (name) => source.createElementNS(namespaces.svg, name);
        const content = source.createDocumentFragment(), shown = make("svg"), defined = make("defs");
        const isFramed = /^(symbol|svg)$/.test(part.localName);
        for (const name of ["viewBox", "preserveAspectRatio"]) {
            if (isFramed && part.hasAttribute(name)) shown.setAttribute(name, part.getAttribute(name));
        }
        for (const name of ["x", "y", "width", "height"]) {
            if (element.hasAttribute(name) && (isFramed || name.length === 1)) shown.setAttribute(name, element.getAttribute(name));
        }
        if (!isFramed) shown.setAttribute("overflow", "visible");
        defined.append(...others.map((other) => other.cloneNode(true)));
        const copy = part.cloneNode(true);
        shown.append(...(others.length ? [defined] : []), ...(isFramed ? copy.childNodes : [copy]));
        if (isFramed) {
            // The part's attributes apply to its content.
            const group = make("g");
            for (const { name, value } of part.attributes) {
                if (!/^(id|viewBox|preserveAspectRatio|x|y|width|height|xmlns.*)$/.test(name)) group.setAttribute(name, value);
            }
            group.append(...[...shown.childNodes].filter((child) => child !== defined));
            shown.append(group);
        }
        content.append(shown);
        return content;
    };
    return used;
}
