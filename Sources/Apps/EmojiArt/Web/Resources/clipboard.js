// Copies, cuts, pastes and accepts drops.

import { fetchExport, importFile } from "./board-files.js";
import { interpret, ownType } from "./data-transfer.js";
import { setTransform } from "./drawing.js";
import {
    cannotAdd, cannotCopy, cannotCopyPictures, cannotCut, cannotPaste, copiedAsPNG, copiedEmoji, emojiCount, pictureNotCopied,
} from "./words.js";

/** The pixels per point of a copied picture, unless a side would be too long; and the maximum pixels along a side. */
const pictureScale = 2;
const maximumSide = 4096;
/** The free space around the emoji of a copied picture, in points. */
const margin = 4;

export class Clipboard {
    #board;
    /** The last copy made on this page, for when the page may not read the clipboard: a `DataTransfer`. */
    #lastCopy = null;

    constructor(board) {
        this.#board = board;
        for (const type of ["copy", "cut"]) document.addEventListener(type, (event) => this.#copyOrCut(event));
        document.addEventListener("paste", (event) => {
            if (!this.#isForBoard(event)) return;
            event.preventDefault();
            this.#receive(event.clipboardData, board.model.boardPoint(null), true);
        });
        // No element of the page is draggable by the browser, so drops come from other programs.
        for (const type of ["dragover", "dragleave", "drop"]) {
            window.addEventListener(type, (event) => this.#drag(event));
        }
    }

    /** Runs "copy", "cut" or "paste" for menus. For the first two, the browser dispatches the events of the keys. */
    run(command) {
        if (command === "paste") void this.#paste();
        else if (!document.execCommand(command)) this.#board.toasts.show(command === "cut" ? cannotCut : cannotCopy);
    }

    /** Copies the selected emoji as a picture, or the whole board if none is selected. */
    async copyPicture() {
        const { address, glyphs, model, sync, toasts } = this.#board;
        const [box, ids] = model.picture() ?? [];
        const picture = box
            ? renderPNG(ids.map((id) => sync.art.emojis.get(id)), box, glyphs)
            : fetchExport(this.#board, `${address}/export.png`).then((response) => response.blob());
        // The picture may fail before the browser reads it from the item, which would count as an unhandled error.
        picture.catch(() => {});
        try {
            // Pass a promise: some browsers allow writing only while the page handles the click.
            await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
            toasts.show(copiedAsPNG);
        } catch {
            const reason = await picture.then(() => cannotCopyPictures, ({ message }) => message);
            toasts.alert(pictureNotCopied({ reason }));
        }
    }

    /** Reading the clipboard needs the person's permission. */
    async #paste() {
        const { model, toasts } = this.#board;
        const position = model.boardPoint(null);
        const transfer = await transferFromClipboard().catch(() => null);
        const last = this.#lastCopy;
        // Reading may be forbidden, and it returns copied emoji without their positions.
        const isLast = last && (!transfer || transfer.getData("text/plain") === last.getData("text/plain"));
        if (transfer || isLast) this.#receive(isLast ? last : transfer, position, true);
        else toasts.show(cannotPaste);
    }

    /** Emoji that were copied from a board, or null; any site can write them to the clipboard. */
    #copiedIn(json) {
        try {
            return this.#board.model.readCopied(JSON.parse(json));
        } catch {
            return null;
        }
    }

    #isForBoard(event) {
        const target = event.target instanceof Element ? event.target : null;
        return !this.#board.isGone && !target?.closest("input, textarea, select, [contenteditable], dialog[open]");
    }

    #copyOrCut(event) {
        if (!this.#isForBoard(event) || String(getSelection())) return;
        const { model, announcer } = this.#board;
        const isCut = event.type === "cut";
        const emojis = model.copy(isCut);
        const { length } = emojis;
        if (!length) return;
        event.preventDefault();
        const text = emojis.map((emoji) => emoji.text).join("");
        this.#lastCopy = new DataTransfer();
        for (const transfer of [event.clipboardData, this.#lastCopy]) {
            transfer.setData(ownType, JSON.stringify({ emojis }));
            transfer.setData("text/plain", text);
        }
        if (isCut) model.run("cut");
        else announcer.announce(copiedEmoji({ emoji: length === 1 ? text : emojiCount({ count: length }) }));
    }

    #drag(event) {
        const { gestures, isGone, model, stage } = this.#board;
        // Outside the board, a drop would make the browser leave the page.
        if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
        const isOver = !isGone && stage.contains(event.target);
        stage.classList.toggle("is-target", isOver && event.type === "dragover");
        if (isOver && event.type === "dragover") event.dataTransfer.dropEffect = "copy";
        if (!isOver || event.type !== "drop") return;
        this.#receive(event.dataTransfer, model.boardPoint(gestures.positionOf(event)), false);
    }

    /** Adds what a `DataTransfer` has, at a position of the board, [x, y]. */
    #receive(transfer, position, isPasted) {
        const { background, model, toasts } = this.#board;
        const copied = this.#copiedIn(transfer.getData(ownType));
        if (copied) {
            model.paste(copied, ...position);
            return;
        }
        const { address, board, emoji, message, picture } = interpret(transfer, isPasted);
        if (message) toasts.show(message);
        else if (emoji) this.#board.add(emoji, position, isPasted);
        else if (address) background.set(address);
        else if (picture) background.upload(picture);
        else if (board && this.#board.isShared) toasts.show(cannotAdd);
        else if (board) importFile(this.#board, board);
    }
}

/** The clipboard's content in the form of a paste event's `clipboardData`. */
async function transferFromClipboard() {
    const transfer = new DataTransfer();
    for (const item of await navigator.clipboard.read()) {
        for (const type of item.types) {
            const blob = await item.getType(type);
            if (type.startsWith("text/")) transfer.setData(type, await blob.text());
            else if (type.startsWith("image/")) transfer.items.add(new File([blob], "picture", { type }));
        }
    }
    return transfer;
}

/** Renders emoji as a PNG with a transparent background. The sides are those of the box around them on the board. */
async function renderPNG(emojis, [left, bottom, right, top], glyphs) {
    const [width, height] = [right - left + 2 * margin, top - bottom + 2 * margin];
    const zoom = Math.min(pictureScale, maximumSide / Math.max(width, height));
    const canvas = new OffscreenCanvas(Math.ceil(width * zoom), Math.ceil(height * zoom));
    const drawing = canvas.getContext("2d");
    for (const emoji of emojis) {
        setTransform(drawing, emoji, (emoji.x - left + margin) * zoom, (top - emoji.y + margin) * zoom);
        glyphs.paint(drawing, emoji.text, emoji.size * zoom);
    }
    return await canvas.convertToBlob({ type: "image/png" });
}
