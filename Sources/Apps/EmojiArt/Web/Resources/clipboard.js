// Copies, cuts, pastes and accepts drops.

import { named } from "./speech.js";
import { copiedIn, interpret, ownType } from "./transfers.js";

export class Clipboard {
    #board;
    /** The last copy made on this page, for when the page may not read the clipboard: {json, text}. */
    #last = null;
    /** The number of pastes of the same copy: each one lands a little further away. */
    #pasted = 0;

    constructor(board) {
        this.#board = board;
        for (const type of ["copy", "cut"]) document.addEventListener(type, (event) => this.#take(event));
        document.addEventListener("paste", (event) => {
            if (!this.#isForBoard(event)) return;
            event.preventDefault();
            this.#receive(interpret(event.clipboardData, true), board.viewing.pointerOrMiddle, true);
        });
        this.#acceptDrops(board.stage);
    }

    /** For menus: makes the browser dispatch the same event as the keys do. */
    copy() {
        this.#do("copy");
    }

    cut() {
        this.#do("cut");
    }

    #do(command) {
        if (document.execCommand(command)) return;
        this.#board.toasts.say(`This browser does not let the page ${command}. Use the keys.`);
    }

    /** For menus: reading the clipboard needs the person's permission. */
    async paste() {
        const place = this.#board.viewing.pointerOrMiddle;
        try {
            const transfer = await transferFromClipboard();
            if (this.#last && transfer.getData("text/plain") === this.#last.text) throw new Error("It is our own.");
            this.#receive(interpret(transfer, true), place, true);
        } catch {
            const copied = copiedIn(this.#last?.json);
            if (copied) this.#receive({ copied }, place, true);
            else this.#board.toasts.say("This browser does not let the page paste. Use the keys.");
        }
    }

    #isForBoard(event) {
        const target = event.target instanceof Element ? event.target : null;
        return !this.#board.isGone && !target?.closest("input, textarea, select, [contenteditable], dialog[open]");
    }

    #take(event) {
        const { selection } = this.#board;
        const emojis = selection.targets;
        if (!this.#isForBoard(event) || !emojis.length || String(getSelection())) return;
        event.preventDefault();
        const json = JSON.stringify({ emojis: emojis.map(({ text, x, y, size }) => ({ text, x, y, size })) });
        const text = emojis.map((emoji) => emoji.text).join("");
        event.clipboardData.setData(ownType, json);
        event.clipboardData.setData("text/plain", text);
        this.#last = { json, text };
        this.#pasted = 0;
        if (event.type === "cut") this.#board.editing.remove("Cut");
        else this.#board.speech.say(named("Copied", emojis.map((emoji) => emoji.text)));
    }

    // --- Dropping.

    #acceptDrops(stage) {
        // Nothing inside the page can be dragged by the browser, so drops come from outside.
        const over = (isOver) => stage.classList.toggle("is-target", isOver);
        stage.addEventListener("dragover", (event) => {
            if (this.#board.isGone) return;
            event.preventDefault();
            event.dataTransfer.dropEffect = "copy";
            over(true);
        });
        stage.addEventListener("dragleave", () => over(false));
        stage.addEventListener("drop", (event) => {
            event.preventDefault();
            over(false);
            if (this.#board.isGone) return;
            const { left, top } = stage.getBoundingClientRect();
            const place = this.#board.camera.toBoard({ x: event.clientX - left, y: event.clientY - top });
            this.#receive(interpret(event.dataTransfer, false), place, false);
        });
        // Outside the board, a drop would make the browser leave the page.
        for (const type of ["dragover", "drop"]) {
            window.addEventListener(type, (event) => {
                if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
            });
        }
    }

    // --- Receiving.

    #receive(what, place, isPasted) {
        const board = this.#board;
        if (what.message) board.toasts.say(what.message);
        else if (what.copied) this.#pasteCopied(what.copied, place);
        else if (what.emoji) board.editing.add(what.emoji, place, { verb: isPasted ? "Paste" : "Add" });
        else if (what.address) board.background.set(what.address);
        else if (what.picture) board.background.keep(what.picture);
        else if (what.board) board.importing.take(what.board);
    }

    #pasteCopied(emojis, place) {
        const board = this.#board;
        const box = board.selection.box(emojis);
        const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
        const { view } = board.camera;
        const isSeen = middle.x > view.left && middle.x < view.right && middle.y > view.bottom && middle.y < view.top;
        // At the mouse; without one, beside the copied emoji if their place is visible.
        this.#pasted += 1;
        const beside = (24 * this.#pasted) / board.camera.zoom;
        const isBeside = isSeen && !board.gestures.pointer;
        const [dx, dy] = isBeside ? [beside, -beside] : [place.x - middle.x, place.y - middle.y];
        board.editing.paste("Paste", emojis, dx, dy);
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
