// Draws the marks that a document for a viewer shows in place of missing pictures and frames.

/** The smallest width and height of a mark, in CSS pixels. */
const smallestWidth = 100, smallestHeight = 32;
/** The largest width of a mark if attributes give its size. The page stretches the mark, and its text, to that size. */
const largestWidth = 600;
/** The smallest height of a mark with an address, in CSS pixels. */
const addressHeight = 46;
/** The width of a character of the address, in CSS pixels, and the maximum number of characters. */
const characterWidth = 7, longestAddress = 300;

/**
 * The width and height of an element's content; if that is too small, those of its attributes.
 *
 * A missing picture whose height depends on its width shows only its alternative text, so its box is small.
 *
 * @param {Element} element
 * @returns {?[number, number]} null if a mark doesn't fit, or the element isn't shown.
 */
function sizeOf(element) {
    const isLarge = ([width, height]) => width >= smallestWidth && height >= smallestHeight;
    const style = getComputedStyle(element);
    const padding = (side) => parseFloat(style.getPropertyValue("padding-" + side)) || 0;
    /** @type {[number, number]} */
    const box = [element.clientWidth - padding("left") - padding("right"),
        element.clientHeight - padding("top") - padding("bottom")];
    if (isLarge(box)) return box;
    const given = (name) => /^\s*\d{1,5}(px)?\s*$/.test(element.getAttribute(name) || "")
        ? parseInt(element.getAttribute(name), 10) : 0;
    /** @type {[number, number]} */
    const attributes = [given("width"), given("height")];
    if (element.getClientRects().length === 0 || !isLarge(attributes)) return null;
    const scale = Math.min(1, largestWidth / attributes[0]);
    return [attributes[0] * scale, attributes[1] * scale];
}

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/**
 * The `data:` address of a drawing with a text and an address, in the size of the element's content; null if the
 * element is too small, such as a tracking pixel.
 *
 * It is encoded in base64, so that nothing in it can be taken for a part of the document.
 *
 * @param {Element} element The element whose content is missing.
 * @param {string} text What is missing.
 * @param {string} address The address of what is missing.
 */
export function markOf(element, text, address) {
    const size = sizeOf(element);
    if (!size) return null;
    const [width, height] = size;
    const length = Math.min(Math.floor((width - 16) / characterWidth), longestAddress);
    const shown = address.length > length ? address.slice(0, length - 1) + "…" : address;
    const lines = '<text x="8" y="20" font-weight="bold">' + escaped(text) + "</text>"
        + (height < addressHeight ? "" : '<text x="8" y="38">' + escaped(shown) + "</text>");
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="' + width + '" height="' + height
        + '" font-family="sans-serif" font-size="12" fill="#333"><rect width="100%" height="100%" fill="#f5f5f5" '
        + 'stroke="#767676" stroke-width="2" stroke-dasharray="4 3"/>' + lines + "</svg>";
    return "data:image/svg+xml;base64," + btoa(String.fromCharCode(...new TextEncoder().encode(drawing)));
}
