// Copies, cuts, pastes and accepts drops.

import { interpret, ownType } from "./data-transfer.js";
import { renderPNG } from "./emoji-picture.js";
import {
    cannotCopy, cannotCopyPictures, cannotCut, cannotPaste, copiedAsPNG, copiedEmoji, emojiCount, pictureNotCopied,
} from "./words.js";

export class Clipboard {
    #board;
    /** The last copy made on this page, for when the page may not read the clipboard: {json, text}. */
    #lastCopy = null;

    constructor(board) {
        this.#board = board;
        for (const type of ["copy", "cut"]) document.addEventListener(type, (event) => this.#copyOrCut(event));
        document.addEventListener("paste", (event) => {
            if (!this.#isForBoard(event)) return;
            event.preventDefault();
            this.#receive(this.#interpret(event.clipboardData, true), this.#board.model.boardPoint(null), true);
        });
        this.#acceptDrops(board.stage);
    }

    /** For menus: makes the browser dispatch the same event as the keys do. */
    copy() {
        this.#execute("copy");
    }

    cut() {
        this.#execute("cut");
    }

    /** Copies the selected emoji as a picture, or the whole board if none is selected. */
    async copyPicture() {
        const { files, glyphs, id, model, sync, toasts } = this.#board;
        const [box, ids] = model.picture() ?? [];
        const picture = box
            ? renderPNG(ids.map((id) => sync.art.emojis.get(id)), box, glyphs)
            : files.fetchExport(`/art/boards/${id}/export.png`).then((response) => response.blob());
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

    #execute(command) {
        if (document.execCommand(command)) return;
        this.#board.toasts.show(command === "cut" ? cannotCut : cannotCopy);
    }

    /** For menus: reading the clipboard needs the person's permission. */
    async paste() {
        const position = this.#board.model.boardPoint(null);
        try {
            const transfer = await transferFromClipboard();
            const isOwn = this.#lastCopy && transfer.getData("text/plain") === this.#lastCopy.text;
            if (isOwn) throw new Error("The clipboard has this page's own copy.");
            this.#receive(this.#interpret(transfer, true), position, true);
        } catch {
            const copied = this.#copiedIn(this.#lastCopy?.json);
            if (copied) this.#receive({ copied }, position, true);
            else this.#board.toasts.show(cannotPaste);
        }
    }

    /** The content of a `DataTransfer`: {copied: [emoji]}, or what `interpret` returns. */
    #interpret(transfer, isPasted) {
        const copied = this.#copiedIn(transfer.getData(ownType));
        return copied ? { copied } : interpret(transfer, isPasted);
    }

    /** Emoji that were copied from a board, or null; any site can write them to the clipboard. */
    #copiedIn(json) {
        if (!json) return null;
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
        const json = JSON.stringify({ emojis });
        const text = emojis.map((emoji) => emoji.text).join("");
        event.clipboardData.setData(ownType, json);
        event.clipboardData.setData("text/plain", text);
        this.#lastCopy = { json, text };
        if (isCut) model.run("cut");
        else announcer.announce(copiedEmoji({ emoji: length === 1 ? text : emojiCount({ count: length }) }));
    }

    // --- Dropping.

    #acceptDrops(stage) {
        // No element of the page is draggable by the browser, so drops come from other programs.
        const markTarget = (isOver) => stage.classList.toggle("is-target", isOver);
        stage.addEventListener("dragover", (event) => {
            if (this.#board.isGone) return;
            event.preventDefault();
            event.dataTransfer.dropEffect = "copy";
            markTarget(true);
        });
        stage.addEventListener("dragleave", () => markTarget(false));
        stage.addEventListener("drop", (event) => {
            event.preventDefault();
            markTarget(false);
            if (this.#board.isGone) return;
            const { x, y } = this.#board.gestures.positionOf(event);
            const position = this.#board.model.boardPoint([x, y]);
            this.#receive(this.#interpret(event.dataTransfer, false), position, false);
        });
        // Outside the board, a drop would make the browser leave the page.
        for (const type of ["dragover", "drop"]) {
            window.addEventListener(type, (event) => {
                if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
            });
        }
    }

    // --- Receiving.

    /** Adds content at a position of the board, [x, y]; at the mouse or in the middle of the view when pasted. */
    #receive(content, position, isPasted) {
        const board = this.#board;
        if (content.message) board.toasts.show(content.message);
        else if (content.copied) board.model.paste(content.copied, ...position);
        else if (content.emoji) board.add(content.emoji, position, isPasted);
        else if (content.address) board.background.set(content.address);
        else if (content.picture) board.background.upload(content.picture);
        else if (content.board) board.files.importFile(content.board);
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
