// Keeps a page's layout while its window is made taller: elements that follow the window's height keep theirs.

/** The properties by which an element can follow the window's height. */
const heightProperties = ["height", "min-height", "max-height"];

function computedHeights(element) {
    const map = element.computedStyleMap();
    return heightProperties.map((name) => String(map.get(name)));
}

export function setStyles(element, styles) {
    for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, "important");
}

/** Records the heights and positions of all elements, before the window is resized. */
export function measure() {
    self.measuredWindow = innerHeight;
    self.measured = new Map([document.documentElement, ...document.querySelectorAll("body, body *")].map((element) => {
        const { top, height } = element.getBoundingClientRect();
        // Most elements are too small to follow the window.
        const styles = element.style && height >= innerHeight / 4 ? computedHeights(element) : null;
        return [element, { top: top + scrollY, height, styles }];
    }));
    return self.measured.size;
}

/** Calls a function whose changes of the document don't count as the page's own (`watch`). */
function unwatched(body) {
    self.changes = (self.changes ?? 0) + (self.watcher?.takeRecords().length ?? 0);
    try {
        return body();
    } finally {
        self.watcher?.takeRecords();
    }
}

/** Sets styles that aren't the page's own, so that the archive doesn't have them. */
export function freeze(element, styles) {
    self.frozen ??= new Map();
    if (!self.frozen.has(element)) self.frozen.set(element, element.getAttribute("style"));
    unwatched(() => setStyles(element, styles));
}

/** Lays out all contents, instead of estimating the heights of those that haven't come into view. */
export function layOutContents() {
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("body *"))) {
        if (element.style && getComputedStyle(element).getPropertyValue("content-visibility") === "auto") {
            freeze(element, { "content-visibility": "visible" });
        }
    }
    return true;
}

/**
 * Restores the height of each element whose height has changed since `measure`, once the page has seen its new window.
 *
 * An element that grows with its content can still do so.
 */
export async function freezeHeights() {
    await new Promise((done) => requestAnimationFrame(done));
    const hasChanged = ([element, { height }]) =>
        element.style && element.isConnected && Math.abs(element.getBoundingClientRect().height - height) >= 1;
    for (const [element, { styles }] of [...self.measured].filter(hasChanged)) {
        const now = styles && computedHeights(element);
        heightProperties.forEach((name, index) => {
            if (now && now[index] !== styles[index]) freeze(element, { [name]: styles[index] });
        });
    }
    // The others are between two edges of the window, or in percent of its height. Each may lay out the page once, so
    // that a page with any number of them is left as it is after a second.
    const deadline = performance.now() + 1000;
    for (const [element, measured] of [...self.measured].filter(hasChanged)) {
        if (performance.now() > deadline) break;
        if (!hasChanged([element, measured])) continue;
        freeze(element, { "box-sizing": "border-box", "height": measured.height + "px", "min-height": "0", "max-height": "none" });
    }
    return true;
}

/** Whether an element that was added since `measure` is as tall as the window, and so may follow its height. */
export function hasNewFollowers() {
    return [...document.querySelectorAll("body *")].some((element) =>
        !self.measured?.has(element) && element.getBoundingClientRect().height >= innerHeight);
}

export function restoreStyle(element, style) {
    if (style === null) element.removeAttribute("style");
    else element.setAttribute("style", style);
}

/** Lets the elements follow the window's height again, and removes all other styles that aren't the page's own. */
export function releaseHeights() {
    unwatched(() => { for (const [element, style] of self.frozen || []) restoreStyle(element, style); });
    self.frozen = new Map();
    return true;
}

/** Calls a function while the elements have the styles that the page gave them; nothing is laid out meanwhile. */
export function withOwnStyles(body) {
    if (!self.frozen?.size) return body();
    const now = [...self.frozen.keys()].map((element) => [element, element.getAttribute("style")]);
    return unwatched(() => {
        for (const [element, style] of self.frozen) restoreStyle(element, style);
        try {
            return body();
        } finally {
            for (const [element, style] of now) restoreStyle(element, style);
        }
    });
}
