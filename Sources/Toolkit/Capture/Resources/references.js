// Creates the references from a document in a viewer to the resources of its page.

/**
 * @typedef {object} Material What references are resolved to.
 * @property {string} mark The prefix of each token.
 * @property {Record<string, {bytes: number, isPicture: boolean}>} resources The resources that have content, by
 *     address without fragment.
 * @property {Record<string, string>} drawings The SVG text of the drawings that the document uses parts of, by
 *     address.
 */

/** The minimum size in bytes of a resource that becomes a variable when it is used more than once. */
const sharedSize = 1024;

/** @param {Material} material */
export function referencesTo({ mark, resources }) {
    /** Addresses, without fragments except those of links, or frame IDs. Tokens refer to them by index. */
    const targets = [];
    const indices = new Map();
    const token = (kind, target) => {
        if (!indices.has(target)) { indices.set(target, targets.length); targets.push(target); }
        return mark + kind + indices.get(target) + "z";
    };
    // Percent-encodes an address for attributes and for unquoted `url()`.
    const percentEncoded = (address) => address.replace(/[\s"'()\\<>\u0000-\u001f]/g,
        (character) => "%" + character.charCodeAt(0).toString(16).padStart(2, "0"));
    const resolve = (address, base) => {
        if (!address || /^[ \t\n\f\r]*$/.test(address)) return null;
        try {
            const url = new URL(address, base), fragment = url.hash;
            url.hash = "";
            return { url: url.href, fragment, isData: url.protocol === "data:" };
        } catch { return null; }
    };
    const resourceAt = (address) => Object.hasOwn(resources, address) ? resources[address] : null;
    const reference = (address, base, kind) => {
        const found = resolve(address, base);
        if (found && found.isData) {
            return kind === "s" ? token("s", found.url) : percentEncoded(found.url + found.fragment);
        }
        if (!found || !resourceAt(found.url)) return "data:,";
        return token(kind, found.url) + (kind === "r" ? percentEncoded(found.fragment) : "");
    };
    const isShareable = (address, base = undefined) => {
        const found = resolve(address, base), resource = found && !found.fragment && resourceAt(found.url);
        return !!resource && resource.bytes >= sharedSize;
    };
    const clear = () => {
        targets.length = 0;
        indices.clear();
    };
    return { targets, token, resolve, resourceAt, reference, isShareable, clear };
}
