// References from a document for a viewer to the resources of its page.

/**
 * @typedef {object} Material What can be put in.
 * @property {string} mark The beginning of each token.
 * @property {Record<string, {bytes: number, isPicture: boolean}>} resources The resources that have content, by their addresses without
 *     fragments.
 * @property {Record<string, string>} drawings The text of the drawings that the document takes parts of, by address.
 */

/** How many bytes a resource must have to be put into a variable when it is used more than once. */
const sharedSize = 1024;

/** @param {Material} material */
export function referencesTo({ mark, resources }) {
    /** Addresses without fragments, or the numbers of frames. */
    const list = [];
    const numbers = new Map();
    const token = (kind, what) => {
        if (!numbers.has(what)) { numbers.set(what, list.length); list.push(what); }
        return mark + kind + numbers.get(what) + "z";
    };
    // Escapes an address, for attributes and for between `url(` and `)`.
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
