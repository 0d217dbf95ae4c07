// Updates part of a page to match new HTML and changes only what differs: an unchanged element stays the same element,
// with its focus, selection, scroll position, typed input, open <details> and playing media.

/** Updates the content of an element to match HTML. */
export function morph(element, html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    keepingFocus(element, () => morphChildren(element, template.content));
}

/** Updates the content of an element to match that of another. */
export function morphTo(element, other) {
    keepingFocus(element, () => morphChildren(element, other));
}

function keyOf(node) {
    return node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key || null : null;
}

function isKept(node) {
    return node.nodeType === Node.ELEMENT_NODE && "keep" in node.dataset;
}

function isSameKind(node, other) {
    return node.nodeType === other.nodeType && node.nodeName === other.nodeName && keyOf(node) === keyOf(other);
}

function morphChildren(parent, wanted) {
    const wantedKeys = new Set(Array.from(wanted.childNodes, keyOf));
    const present = new Map();
    for (const node of parent.childNodes) {
        const key = keyOf(node);
        if (key) present.set(key, node);
    }
    let place = parent.firstChild;
    // Remove old nodes first, so that the nodes after them needn't move: an element that moves loses its focus.
    const passGone = (node) => {
        while (place && (isKept(place) ? !isWantedKept(place, node) : isGone(place))) {
            const next = place.nextSibling;
            if (!isKept(place)) place.remove();
            place = next;
        }
    };
    const isGone = (node) => keyOf(node) !== null && !wantedKeys.has(keyOf(node));
    const isWantedKept = (kept, node) =>
        keyOf(kept) !== null
            ? wantedKeys.has(keyOf(kept))
            : isSameKind(kept, node) && kept.getAttribute("role") === node.getAttribute("role");

    for (const node of Array.from(wanted.childNodes)) {
        passGone(node);
        const key = keyOf(node);
        let match = null;
        if (key) {
            const candidate = present.get(key);
            if (candidate && candidate.parentNode === parent && isSameKind(candidate, node)) match = candidate;
            present.delete(key);
        } else if (place && isSameKind(place, node)) {
            match = place;
        }
        if (!match) {
            parent.insertBefore(document.importNode(node, true), place);
        } else {
            if (match === place) place = place.nextSibling;
            else parent.insertBefore(match, place);
            morphNode(match, node);
        }
    }
    while (place) {
        const next = place.nextSibling;
        if (!isKept(place)) place.remove();
        place = next;
    }
}

function morphNode(node, wanted) {
    if (node.nodeType !== Node.ELEMENT_NODE) {
        if (node.data !== wanted.data) node.data = wanted.data;
        return;
    }
    if (isKept(node) || node.isEqualNode(wanted)) return;
    morphAttributes(node, wanted);
    // A region inside a region has its own stream, so its content is left alone. One with a version always matches the
    // page.
    if (!("live" in node.dataset) || "liveVersion" in node.dataset) morphChildren(node, wanted);
}

function morphAttributes(element, wanted) {
    // A pending submission belongs to the old form, not to the one that the element becomes.
    if (isAnotherForm(element, wanted)) element.removeAttribute("aria-busy");
    for (const { name } of Array.from(element.attributes)) {
        if (!wanted.hasAttribute(name) && !isReaders(element, name)) element.removeAttribute(name);
    }
    for (const { name, value } of Array.from(wanted.attributes)) {
        if (element.getAttribute(name) !== value && !isReaders(element, name)) element.setAttribute(name, value);
    }
}

function isAnotherForm(element, wanted) {
    return element.localName === "form" && element.getAttribute("action") !== wanted.getAttribute("action");
}

/** Whether an attribute reflects what the reader did or a pending submission, rather than what the server sent. */
function isReaders(element, name) {
    if (name === "open") return element.localName === "details" || element.localName === "dialog";
    if (name === "aria-busy") return element.localName === "form";
    // Set where the focus went when a focused element was removed; without it, the focus would be lost again.
    if (name === "tabindex") return element === document.activeElement;
    if (name === "disabled") return element.closest("form[aria-busy=true]") !== null;
    return false;
}

function keepingFocus(element, change) {
    const focused = /** @type {HTMLInputElement} */ (document.activeElement);
    const isInside = focused && focused !== element && element.contains(focused);
    const around = isInside ? withAncestors(focused) : [];
    const selection = isInside && "selectionStart" in focused ? selectionOf(focused) : null;
    const scrolled = [element, ...element.querySelectorAll("*")]
        .filter((each) => each.scrollTop || each.scrollLeft)
        .map((each) => [each, each.scrollTop, each.scrollLeft]);
    change();
    for (const [each, top, left] of scrolled) {
        if (!each.isConnected) continue;
        if (each.scrollTop !== top) each.scrollTop = top;
        if (each.scrollLeft !== left) each.scrollLeft = left;
    }
    if (!isInside || document.activeElement === focused) return;
    if (focused.isConnected) {
        focused.focus({ preventScroll: true });
        if (selection) focused.setSelectionRange(...selection);
    } else {
        focusFirstConnected(around);
    }
}

/** An element and those around it, from the inside out. */
export function withAncestors(element) {
    const elements = [];
    for (let each = element; each && each !== document.body; each = each.parentElement) elements.push(each);
    return elements;
}

/**
 * Focuses the first of some elements that is still in the document. After the focused element was removed, the keyboard
 * then continues near its place, not at the top of the page.
 */
export function focusFirstConnected(elements) {
    const place = elements.find((element) => element.isConnected);
    if (!place) return;
    if (!place.hasAttribute("tabindex")) place.setAttribute("tabindex", "-1");
    place.focus({ preventScroll: true });
}

/** @returns {[number, number, HTMLInputElement["selectionDirection"]] | null} */
function selectionOf(field) {
    // `selectionStart` is null for fields without a selection, such as those of type `email`.
    return field.selectionStart === null
        ? null
        : [field.selectionStart, field.selectionEnd, field.selectionDirection];
}
