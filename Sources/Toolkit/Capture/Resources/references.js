// References from a document for a viewer to the resources of its page.

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
    /** Addresses without fragments, or frame numbers. Tokens refer to them by index. */
    const list = [];
    const numbers = new Map();
    const token = (kind, what) => {
        if (!numbers.has(what)) { numbers.set(what, list.length); list.push(what); }
        return mark + kind + numbers.get(what) + "z";
    };
    // Percent-encodes an address for attributes and for unquoted `url()`.
    const plain = (address) => address.replace(/[\s"'()\\<>\u0000-\u001f]/g,
        (character) => "%" + character.charCodeAt(0).toString(16).padStart(2, "0"));
    const resolve = (address, base) => {
        if (!address || /^[ \t\n\f\r]*$/.test(address)) return null;
        try {
            const url = new URL(address, base), place = url.hash;
            url.hash = "";
            return { url: url.href, place, isData: url.protocol === "data:" };
        } catch { return null; }
    };
    const find = (address) => Object.hasOwn(resources, address) ? resources[address] : null;
    const reference = (address, base, kind) => {
        const found = resolve(address, base);
        if (found && found.isData) return kind === "s" ? token("s", found.url) : plain(found.url + found.place);
        if (!found || !find(found.url)) return "data:,";
        return token(kind, found.url) + (kind === "r" ? plain(found.place) : "");
    };
    const isShareable = (address, base = undefined) => {
        const found = resolve(address, base), what = found && !found.place && find(found.url);
        return !!what && what.bytes >= sharedSize;
    };
    const clear = () => {
        list.length = 0;
        numbers.clear();
    };
    return { list, token, resolve, find, reference, isShareable, clear };
}
