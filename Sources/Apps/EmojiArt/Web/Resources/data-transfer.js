// Interprets drops, pastes and chosen files: emoji, the address of a picture, a picture, or a board as a file.

import {
    addressCutOff, addressHasNoPicture, addressNotRead, cannotAdd, megabytes, notAPicture, pictureTooLarge, quoted,
    textHasNothing, thePicture, tooManyEmoji,
} from "./words.js";

/** The media type of copied emoji with their positions. */
export const ownType = "application/vnd.meanwhile.emoji+json";

/** The maximum sizes of a picture and of a file, in bytes: the same as in `BoardLimits`. */
export const pictureBytes = 20_000_000;
export const fileBytes = 40_000_000;
/** The maximum number of emoji taken from a text. */
const emojiLimit = 500;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const shownAsEmoji =
    /^(?:\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3|\p{Emoji_Presentation}|\p{Extended_Pictographic})/u;
/** Symbols that are shown as text unless a variation selector follows. */
const shownAsText = /^[©®™ℹ‼⁉〰〽Ⓜ㊗㊙\u2194-\u21AA]$/u;

/** The emoji in a text, in order. */
export function emojiIn(text) {
    return Array.from(graphemes.segment(text), ({ segment }) => segment).filter(
        (segment) => shownAsEmoji.test(segment) && !shownAsText.test(segment),
    );
}

/** The address in a text, or null. For an image search result, this is the address of the picture itself. */
export function addressIn(text) {
    const trimmed = text.trim();
    if (/^data:([^,\s]*,|image\/)/i.test(trimmed)) return trimmed;
    // Lists of addresses, which browsers provide when dragging, may contain comments.
    const line = trimmed.split(/[\r\n]+/).find((line) => line && !line.startsWith("#")) ?? "";
    if (/\s/.test(line) || !isAddress(line)) return null;
    const found = new URL(line).searchParams.get("imgurl");
    return found && isAddress(found) ? found : line;
}

function isAddress(text) {
    return /^https?:\/\//i.test(text) && /** @type {typeof URL & URLConstructor} */ (URL).canParse(text);
}

/** The address of the first picture in HTML, or null. */
function pictureIn(html) {
    // A browser fetches and runs nothing in a document that it parses like this.
    const page = new DOMParser().parseFromString(html, "text/html");
    const sources = Array.from(page.querySelectorAll("img[src]"), (image) => image.getAttribute("src").trim());
    const source = sources.find((source) => /^(https?:\/\/|data:image\/)/i.test(source));
    return source ? addressIn(source) : null;
}

/**
 * The picture to upload for a file or blob, or for the content of a `data:` address. Throws an Error with a message for
 * the person if it is too large or no picture, or if the address is invalid.
 */
export function pictureOf(source) {
    const picture = typeof source === "string" ? blobOf(source) : source;
    const { size, type } = picture;
    const name = picture.name ? quoted({ text: picture.name }) : thePicture;
    if (size > pictureBytes) {
        throw new Error(pictureTooLarge({ name, size: inMegabytes(size), limit: inMegabytes(pictureBytes) }));
    }
    if (type && !type.startsWith("image/")) throw new Error(notAPicture({ name }));
    return picture;
}

function blobOf(address) {
    const [, type, parameters, data] = /^data:([^,;]*)([^,]*),(.*)$/is.exec(address) ?? [];
    if (data === undefined) throw new Error(addressCutOff);
    if (!/^image\//i.test(type)) throw new Error(addressHasNoPicture);
    try {
        const text = decodeURIComponent(data);
        if (!/;\s*base64\s*$/i.test(parameters)) return new Blob([text], { type });
        return new Blob([Uint8Array.from(atob(text.replace(/\s/g, "")), (byte) => byte.charCodeAt(0))], { type });
    } catch {
        throw new Error(addressNotRead);
    }
}

/**
 * The content of a `DataTransfer`, which is read synchronously: one of the properties.
 *
 * - isPasted: Whether the transfer comes from the clipboard, which contains a copied picture both as a file and as HTML
 *   with its address.
 *
 * @returns {{ emoji?: string[], address?: string, picture?: Blob, board?: File, message?: string }}
 */
export function interpret(transfer, isPasted) {
    const text = transfer.getData("text/plain");
    /** @type {File[]} */
    const files = Array.from(transfer.files);
    const picture = files.find(({ type }) => type.startsWith("image/"));
    const htmlPicture = pictureIn(transfer.getData("text/html"));
    if (picture && isPasted && (htmlPicture || !text.trim())) return { picture };
    const address = htmlPicture ?? addressIn(transfer.getData("text/uri-list")) ?? addressIn(text);
    if (address) return { address };
    if (picture) return { picture };
    // The server inspects the file's content.
    if (files.length) return /\.(emojiart|json)$/i.test(files[0].name) ? { board: files[0] } : { picture: files[0] };
    const emoji = emojiIn(text);
    if (emoji.length > emojiLimit) return { message: tooManyEmoji({ count: emoji.length, limit: emojiLimit }) };
    if (emoji.length) return { emoji };
    return { message: text.trim() ? textHasNothing : cannotAdd };
}

/** Takes each file that is chosen in a field. */
export function onFile(id, take) {
    /** @type {HTMLInputElement} */
    const field = document.getElementById(id);
    field.addEventListener("change", () => {
        for (const file of field.files) take(file);
        // Choosing the same file again is a change, too.
        field.value = "";
    });
}

/** A size as "20.1 MB", rounded up, so that a size above a limit never reads as the limit. */
export function inMegabytes(bytes) {
    return megabytes({ number: Math.ceil(bytes / 1e5) / 10 });
}
