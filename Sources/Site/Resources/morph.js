// Makes one piece of a page equal to new HTML, and changes only what differs: what stays the same is the same element,
// with its focus, selection, scroll position, typed input, open <details> and playing media.

/** Makes the inside of an element equal to the HTML. */
export function morph(element, html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    keepingFocus(element, () => morphChildren(element, template.content));
}

/** Makes the inside of an element equal to that of another one. */
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
    // What is gone goes first, so that what follows it need not move: an element that moves loses its focus.
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
    // A region within a region has a stream of its own; one with a version is always as a whole page has it.
    if (!("live" in node.dataset) || "liveVersion" in node.dataset) morphChildren(node, wanted);
}

function morphAttributes(element, wanted) {
    // What was asked for by the form that it was is not asked for by the form that it becomes.
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

/** Whether an attribute says what the reader did, or what is being done for them, and not what the server wants. */
function isReaders(element, name) {
    if (name === "open") return element.localName === "details" || element.localName === "dialog";
    if (name === "aria-busy") return element.localName === "form";
    if (name === "disabled") return element.closest("form[aria-busy=true]") !== null;
    return false;
}

function keepingFocus(element, change) {
    const focused = /** @type {HTMLInputElement} */ (document.activeElement);
    const isInside = focused && focused !== element && element.contains(focused);
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
        // What had the focus is gone: the keyboard goes on from here, and not from the top of the page.
        if (!element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
        element.focus({ preventScroll: true });
    }
}

/** @returns {[number, number, HTMLInputElement["selectionDirection"]] | null} */
function selectionOf(field) {
    // Null for a field that has no selection, as of the type `email`.
    return field.selectionStart === null
        ? null
        : [field.selectionStart, field.selectionEnd, field.selectionDirection];
}
