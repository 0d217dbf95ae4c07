// Makes elements.

/**
 * Makes an element with attributes and children. A text becomes text, never markup.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | undefined | (() => unknown)>} attributes - Those that are
 *   undefined are left out. A function listens for the events with its name.
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") /** @type {EventTarget} */ (element).addEventListener(name, value);
        else if (value !== undefined) element.setAttribute(name, String(value));
    }
    element.append(...children);
    return element;
}
