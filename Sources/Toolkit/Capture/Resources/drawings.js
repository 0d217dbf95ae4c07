// Inlines the parts of other SVG files (drawings) that `use` elements refer to, because browsers don't load them from
// `data:` addresses.

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
 * @param {(address: string, base: string) => ?{url: string, fragment: string}} resolve
 * @returns {(element: SVGUseElement) => ?DocumentFragment}
 */
export function drawingParts(drawings, resolve) {
    const parsedDrawings = new Map();
    // How much may still be inlined, in characters. A part that is used twice is inlined twice.
    let remainingCharacters = 4 << 20;
    const drawing = (address) => {
        if (!Object.hasOwn(drawings, address)) return null;
        if (!parsedDrawings.has(address)) {
            const parsed = new DOMParser().parseFromString(drawings[address], "image/svg+xml");
            parsedDrawings.set(address, parsed.querySelector("parsererror") ? null : parsed);
        }
        return parsedDrawings.get(address);
    };
    const partOf = (source, fragment) => {
        if (!fragment) return source.documentElement;
        try { return source.getElementById(decodeURIComponent(fragment.slice(1))); } catch { return null; }
    };
    // The elements that a part refers to, directly or indirectly, such as gradients; not those inside the part.
    const referencedElements = (source, part) => {
        const found = new Set(), queue = [part];
        while (queue.length) {
            const next = queue.pop();
            for (const element of [next, ...next.querySelectorAll("*")]) {
                for (const { value } of element.attributes) {
                    const match = /^\s*#(\S+)|url\(\s*["']?#([^"')\s]+)/.exec(value);
                    const other = match && source.getElementById(match[1] || match[2]);
                    if (!other || found.has(other) || part.contains(other) || other.contains(part)) continue;
                    found.add(other);
                    queue.push(other);
                }
            }
        }
        return [...found];
    };
    const inlinedContent = (element) => {
        // `use` elements inside inlined drawings aren't resolved.
        if (element.ownerDocument !== document) return null;
        const found = resolve(element.href ? element.href.baseVal : "", document.baseURI);
        const source = found && drawing(found.url), part = source && partOf(source, found.fragment);
        if (!part) return null;
        const dependencies = referencedElements(source, part);
        remainingCharacters -= [part, ...dependencies].reduce((sum, each) => sum + each.outerHTML.length, 0);
        if (remainingCharacters < 0) return null;
        const make = (name) => source.createElementNS(namespaces.svg, name);
        const content = source.createDocumentFragment(), svg = make("svg"), defs = make("defs");
        const hasViewport = /^(symbol|svg)$/.test(part.localName);
        for (const name of ["viewBox", "preserveAspectRatio"]) {
            if (hasViewport && part.hasAttribute(name)) svg.setAttribute(name, part.getAttribute(name));
        }
        for (const name of ["x", "y", "width", "height"]) {
            const applies = hasViewport || name.length === 1;
            if (applies && element.hasAttribute(name)) svg.setAttribute(name, element.getAttribute(name));
        }
        if (!hasViewport) svg.setAttribute("overflow", "visible");
        defs.append(...dependencies.map((other) => other.cloneNode(true)));
        const copy = part.cloneNode(true);
        svg.append(...(dependencies.length ? [defs] : []), ...(hasViewport ? copy.childNodes : [copy]));
        if (hasViewport) {
            // The attributes of the part, such as `fill`, apply to its content.
            const group = make("g");
            for (const { name, value } of part.attributes) {
                if (/^(id|viewBox|preserveAspectRatio|x|y|width|height|xmlns.*)$/.test(name)) continue;
                group.setAttribute(name, value);
            }
            group.append(...[...svg.childNodes].filter((child) => child !== defs));
            svg.append(group);
        }
        content.append(svg);
        return content;
    };
    return inlinedContent;
}
