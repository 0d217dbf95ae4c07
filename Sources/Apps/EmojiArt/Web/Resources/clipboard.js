// Copies, cuts, pastes and accepts drops.

import { copies, stepName } from "./edit-operations.js";
import { copiedIn, interpret, ownType } from "./data-transfer.js";
import { renderPNG } from "./emoji-picture.js";
import {
    cannotCopy, cannotCopyPictures, cannotCut, cannotPaste, copiedAsPNG, copiedEmoji, pasted, pasteStep,
    pictureNotCopied,
} from "./words.js";

export class Clipboard {
    #board;
    /** The last copy made on this page, for when the page may not read the clipboard: {json, text}. */
    #lastCopy = null;
    /** How often the same copy was pasted: each paste is offset a little more. */
    #pasteCount = 0;

    constructor(board) {
        this.#board = board;
        for (const type of ["copy", "cut"]) document.addEventListener(type, (event) => this.#copyOrCut(event));
        document.addEventListener("paste", (event) => {
            if (!this.#isForBoard(event)) return;
            event.preventDefault();
            this.#receive(interpret(event.clipboardData, true), board.viewing.pointerOrMiddle, true);
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
        const { downloads, glyphs, id, selection, toasts } = this.#board;
        const emojis = selection.targets;
        const picture = emojis.length
            ? renderPNG(emojis, selection.box(emojis), glyphs)
            : downloads.fetchExport(`/art/boards/${id}/export.png`).then((response) => response.blob());
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
        const position = this.#board.viewing.pointerOrMiddle;
        try {
            const transfer = await transferFromClipboard();
            const isOwn = this.#lastCopy && transfer.getData("text/plain") === this.#lastCopy.text;
            if (isOwn) throw new Error("The clipboard has this page's own copy.");
            this.#receive(interpret(transfer, true), position, true);
        } catch {
            const copied = copiedIn(this.#lastCopy?.json);
            if (copied) this.#receive({ copied }, position, true);
            else this.#board.toasts.show(cannotPaste);
        }
    }

    #isForBoard(event) {
        const target = event.target instanceof Element ? event.target : null;
        return !this.#board.isGone && !target?.closest("input, textarea, select, [contenteditable], dialog[open]");
    }

    #copyOrCut(event) {
        const { selection } = this.#board;
        // Locked emoji are copied, but not cut.
        const emojis = event.type === "cut" ? selection.editable : selection.targets;
        if (!this.#isForBoard(event) || !emojis.length || String(getSelection())) return;
        event.preventDefault();
        const copied = emojis.map(({ text, x, y, size, angle, flipped }) => ({ text, x, y, size, angle, flipped }));
        const json = JSON.stringify({ emojis: copied });
        const text = emojis.map((emoji) => emoji.text).join("");
        event.clipboardData.setData(ownType, json);
        event.clipboardData.setData("text/plain", text);
        this.#lastCopy = { json, text };
        this.#pasteCount = 0;
        if (event.type === "cut") this.#board.editing.remove(true);
        else this.#board.announcer.announce(stepName(copiedEmoji, emojis));
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
            const { left, top } = stage.getBoundingClientRect();
            const position = this.#board.camera.toBoard({ x: event.clientX - left, y: event.clientY - top });
            this.#receive(interpret(event.dataTransfer, false), position, false);
        });
        // Outside the board, a drop would make the browser leave the page.
        for (const type of ["dragover", "drop"]) {
            window.addEventListener(type, (event) => {
                if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
            });
        }
    }

    // --- Receiving.

    #receive(content, position, isPasted) {
        const board = this.#board;
        if (content.message) board.toasts.show(content.message);
        else if (content.copied) this.#pasteCopied(content.copied, position);
        else if (content.emoji) board.editing.add(content.emoji, position, isPasted);
        else if (content.address) board.background.set(content.address);
        else if (content.picture) board.background.upload(content.picture);
        else if (content.board) board.importing.importFile(content.board);
    }

    #pasteCopied(emojis, position) {
        const board = this.#board;
        const box = board.selection.box(emojis);
        const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
        const { view } = board.camera;
        const isVisible =
            middle.x > view.left && middle.x < view.right && middle.y > view.bottom && middle.y < view.top;
        // Paste at the mouse. Without a mouse, paste beside the copied emoji if these are visible.
        this.#pasteCount += 1;
        const beside = (24 * this.#pasteCount) / board.camera.zoom;
        const isBeside = isVisible && !board.gestures.pointer;
        const [dx, dy] = isBeside ? [beside, -beside] : [position.x - middle.x, position.y - middle.y];
        board.editing.addAll(copies(board.sync.art, emojis, dx, dy), emojis, pasteStep, pasted);
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
