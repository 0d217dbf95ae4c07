// Updates part of a page to match new HTML and changes only what differs: an unchanged element stays the same element,
// with its focus, selection, scroll position, typed input, open <details> and playing media.

/** Updates the content of an element to match HTML. */
export function morph(element, html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    preservingFocus(element, () => morphChildren(element, template.content));
}

/** Updates the content of an element to match that of another. */
export function morphTo(element, other) {
    preservingFocus(element, () => morphChildren(element, other));
}

/** Fetches the page again, at its current address, for an update. Returns null if that fails. */
export async function fetchPage(signal = null) {
    try {
        const response = await fetch(location.href, { headers: { Accept: "text/html" }, signal });
        return response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
    } catch {
        return null;
    }
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

function morphChildren(parent, target) {
    const targetKeys = new Set(Array.from(target.childNodes, keyOf));
    const elementsByKey = new Map();
    for (const node of parent.childNodes) {
        const key = keyOf(node);
        if (key) elementsByKey.set(key, node);
    }
    /** The first old node that isn't matched yet. */
    let cursor = parent.firstChild;
    // Remove old nodes first, so that later nodes stay where they are: a node that is moved loses its focus.
    const skipRemovedNodes = (node) => {
        while (cursor && (isKept(cursor) ? !matchesKeptNode(cursor, node) : isRemoved(cursor))) {
            const next = cursor.nextSibling;
            if (!isKept(cursor)) cursor.remove();
            cursor = next;
        }
    };
    const isRemoved = (node) => keyOf(node) !== null && !targetKeys.has(keyOf(node));
    const matchesKeptNode = (kept, node) =>
        keyOf(kept) !== null
            ? targetKeys.has(keyOf(kept))
            : isSameKind(kept, node) && kept.getAttribute("role") === node.getAttribute("role");

    for (const node of Array.from(target.childNodes)) {
        skipRemovedNodes(node);
        const key = keyOf(node);
        let match = null;
        if (key) {
            const candidate = elementsByKey.get(key);
            if (candidate && candidate.parentNode === parent && isSameKind(candidate, node)) match = candidate;
            elementsByKey.delete(key);
        } else if (cursor && isSameKind(cursor, node)) {
            match = cursor;
        }
        if (!match) {
            parent.insertBefore(document.importNode(node, true), cursor);
        } else {
            if (match === cursor) cursor = cursor.nextSibling;
            else parent.insertBefore(match, cursor);
            morphNode(match, node);
        }
    }
    while (cursor) {
        const next = cursor.nextSibling;
        if (!isKept(cursor)) cursor.remove();
        cursor = next;
    }
}

function morphNode(node, target) {
    if (node.nodeType !== Node.ELEMENT_NODE) {
        if (node.data !== target.data) node.data = target.data;
        return;
    }
    if (isKept(node) || node.isEqualNode(target)) return;
    morphAttributes(node, target);
    // A region inside a region has its own stream, so its content is left alone. One with a version always matches the
    // page.
    if (!("live" in node.dataset) || "liveVersion" in node.dataset) morphChildren(node, target);
}

function morphAttributes(element, target) {
    // A pending submission belongs to the old form, not to the one that the element becomes.
    if (isAnotherForm(element, target)) element.removeAttribute("aria-busy");
    for (const { name } of Array.from(element.attributes)) {
        if (!target.hasAttribute(name) && !isBrowserState(element, name)) element.removeAttribute(name);
    }
    for (const { name, value } of Array.from(target.attributes)) {
        if (element.getAttribute(name) !== value && !isBrowserState(element, name)) element.setAttribute(name, value);
    }
}

function isAnotherForm(element, target) {
    return element.localName === "form" && requestOf(element) !== requestOf(target);
}

/**
 * Identifies a form's request by its address and its hidden inputs.
 *
 * All forms that undo have the same address; a hidden input names the step.
 */
function requestOf(form) {
    const inputs = Array.from(form.querySelectorAll("input[type=hidden]"), (input) => [input.name, input.value]);
    return JSON.stringify([form.getAttribute("action"), inputs]);
}

/** Whether an attribute is state of the browser, such as an open dialog, which the new HTML must not overwrite. */
function isBrowserState(element, name) {
    if (name === "open") return element.localName === "details" || element.localName === "dialog";
    if (name === "aria-busy") return element.localName === "form";
    // `focusFirstShown` sets it; without it, the element would lose the focus.
    if (name === "tabindex") return element === document.activeElement;
    if (name === "disabled") return element.closest("form[aria-busy=true]") !== null;
    return false;
}

function preservingFocus(element, change) {
    const focused = /** @type {HTMLInputElement} */ (document.activeElement);
    const isInside = focused && focused !== element && element.contains(focused);
    const ancestors = isInside ? withAncestors(focused) : [];
    const selection = isInside && "selectionStart" in focused ? selectionOf(focused) : null;
    const scrollPositions = [element, ...element.querySelectorAll("*")]
        .filter((each) => each.scrollTop || each.scrollLeft)
        .map((each) => [each, each.scrollTop, each.scrollLeft]);
    change();
    for (const [each, top, left] of scrollPositions) {
        if (!each.isConnected) continue;
        if (each.scrollTop !== top) each.scrollTop = top;
        if (each.scrollLeft !== left) each.scrollLeft = left;
    }
    if (!isInside) return;
    if (isShown(focused)) {
        if (document.activeElement === focused) return;
        focused.focus({ preventScroll: true });
        if (selection) focused.setSelectionRange(...selection);
    } else {
        focusFirstShown(ancestors);
    }
}

/** An element and those around it, from the inside out. */
export function withAncestors(element) {
    const elements = [];
    for (let each = element; each && each !== document.body; each = each.parentElement) elements.push(each);
    return elements;
}

/** Whether an element is in the document, and neither it nor an element around it is hidden. */
export function isShown(element) {
    return element.isConnected && element.getClientRects().length > 0;
}

/**
 * Focuses the first element that is still shown.
 *
 * After the focused element was removed or hidden, Tab then continues from its surroundings, not from the top of the
 * page.
 */
export function focusFirstShown(elements) {
    const shown = elements.find(isShown);
    if (!shown) return;
    if (!shown.hasAttribute("tabindex")) shown.setAttribute("tabindex", "-1");
    shown.focus({ preventScroll: true });
}

/** @returns {[number, number, HTMLInputElement["selectionDirection"]] | null} */
function selectionOf(field) {
    // `selectionStart` is null for fields without a selection, such as those of type `email`.
    return field.selectionStart === null
        ? null
        : [field.selectionStart, field.selectionEnd, field.selectionDirection];
}
