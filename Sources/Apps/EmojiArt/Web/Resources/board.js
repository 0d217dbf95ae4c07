// A board's page: creates its parts and runs commands.

import { Backdrop } from "./backdrop.js";
import { BoardBackground } from "./background.js";
import { Bars } from "./bars.js";
import { BoardSync } from "./board-sync.js";
import { Camera } from "./camera.js";
import { Clipboard } from "./clipboard.js";
import { commands } from "./commands.js";
import { Help } from "./dialogs.js";
import { BoardDownloads } from "./downloads.js";
import { Drawing } from "./drawing.js";
import { Gestures } from "./gestures.js";
import { Glyphs } from "./glyphs.js";
import { BoardHead } from "./head.js";
import { BoardImport } from "./importing.js";
import { Keyboard } from "./keyboard.js";
import { PaletteBar } from "./palette-bar.js";
import { PaletteEditor } from "./palette-editor.js";
import { PaletteList } from "./palette-list.js";
import { Selection } from "./selection.js";
import { Speech } from "./speech.js";
import { storeHistory } from "./stored-history.js";
import { Surroundings } from "./surroundings.js";
import { Toasts } from "./toasts.js";
import { Viewing } from "./viewing.js";
import { wheel } from "./wheel.js";
import { instantiate } from "../site/bridge.js";

class Board {
    /** Whether the board was deleted. */
    isGone = false;
    /** The model's timers, by name. */
    #timers = {};
    /** Whether a refresh is scheduled for the next frame. */
    #isToRefresh = false;

    /** - model: The functions of the board's WebAssembly module. */
    constructor({ dataset }, model) {
        const read = (id) => JSON.parse(document.getElementById(id).textContent);
        this.id = dataset.id;
        this.stage = document.getElementById("stage");
        this.toasts = new Toasts();
        this.speech = new Speech(this);
        this.sync = new BoardSync({ id: this.id, state: read("state"), model });
        /** The model's functions. */
        this.model = this.sync.model;
        const art = () => this.sync.art;
        this.glyphs = new Glyphs();
        this.selection = new Selection(this.sync, this.glyphs);
        this.camera = new Camera(this.model, () => this.#viewHasChanged());
        this.backdrop = new Backdrop(() => this.#pictureHasCome(), () => this.background?.pictureHasFailed());
        const { stage, camera, glyphs, selection, backdrop } = this;
        const [paper, front] = [document.getElementById("paper"), document.getElementById("front")];
        this.drawing = new Drawing({ stage, paper, front, camera, glyphs, selection, backdrop, art });
        this.palettes = new PaletteList(read("palettes"), (message) => this.#tellOfPalettes(message));
        this.sync.addEventListener("palettes", () => this.palettes.hear(this.sync.palettes));
        this.viewing = new Viewing(this);
        this.gestures = new Gestures(this);
        this.keyboard = new Keyboard(this);
        this.clipboard = new Clipboard(this);
        this.bars = new Bars(this);
        this.head = new BoardHead(this);
        this.background = new BoardBackground(this);
        this.bar = new PaletteBar(this);
        this.editor = new PaletteEditor(this);
        this.importing = new BoardImport(this);
        this.downloads = new BoardDownloads(this);
        this.help = new Help(this);
        this.surroundings = new Surroundings(this);
        wheel(this);
        this.#follow();
        storeHistory(this);
        this.#measure(Array.from(new Set(Array.from(this.sync.art.emojis.values(), ({ text }) => text))));
        window.addEventListener("pagehide", () => this.model.endNudge());
        document.addEventListener("visibilitychange", () => document.hidden && this.model.endNudge());
        this.viewing.open();
        stage.dataset.ready = "";
    }

    #follow() {
        const { sync, selection, drawing } = this;
        sync.addEventListener("effects", (/** @type {CustomEvent} */ { detail }) => this.#carryOut(detail));
        sync.addEventListener("change", () => {
            drawing.invalidateFront();
            this.refresh();
        });
        sync.addEventListener("history", () => this.refresh());
        sync.addEventListener("refused", (/** @type {CustomEvent<{ messages: string[] }>} */ { detail }) => {
            for (const message of detail.messages) this.toasts.alert(message);
        });
        sync.addEventListener("gone", () => this.#setGone());
        selection.addEventListener("change", () => {
            drawing.invalidateFront();
            this.refresh();
        });
    }

    /** Carries out what the model says of this page. */
    #carryOut(effects) {
        const { camera, drawing, gestures, selection, speech, stage, viewing } = this;
        viewing.tool = effects.tool;
        gestures.isActive = effects.isGestureActive;
        camera.update(effects);
        selection.update(effects);
        drawing.update(effects);
        if (effects.cursor !== undefined) stage.dataset.cursor = effects.cursor;
        this.#setTimer("longPress", effects.longPress, () => this.model.longPress(), gestures.longPress);
        this.#setTimer("nudge", effects.nudge, () => this.model.endNudge());
        if (effects.vibrates) navigator.vibrate?.(12);
        if (effects.announced) speech.say(effects.announced);
        if (effects.described) void speech.describe(effects.described);
        // Last, because its own effects are newer.
        this.#measure(effects.unmeasured);
    }

    /** Starts or stops a timer of the model, if there is one in [time]; `other` replaces the time. */
    #setTimer(name, [time] = [], action, other = null) {
        if (time === undefined) return;
        clearTimeout(this.#timers[name]);
        if (time !== null) this.#timers[name] = setTimeout(action, other ?? time);
    }

    /** Measures texts for the model, which has no fonts. */
    #measure(texts = []) {
        if (texts.length) this.model.measure(texts.map((text) => [text, this.glyphs.reach(text)]));
    }

    #viewHasChanged() {
        this.drawing?.invalidate();
        this.refresh();
    }

    #pictureHasCome() {
        this.drawing.invalidate();
        const { shown } = this.backdrop;
        this.model.setPicture(shown ? [shown.width, shown.height] : null);
        this.background.pictureHasCome();
        this.refresh();
    }

    /** Shows a message about palettes: in the editor while it is open, because its dialog covers toasts. */
    #tellOfPalettes(message) {
        if (this.editor?.isOpen) this.editor.tell(message);
        else this.toasts.alert(message);
    }

    #setGone() {
        this.cancel();
        this.isGone = true;
        /** @type {NodeListOf<HTMLDialogElement>} */
        const dialogs = document.querySelectorAll("dialog[open]");
        for (const dialog of dialogs) dialog.close();
        this.surroundings.showGone();
        this.refresh();
    }

    /** Updates buttons and hints, at most once per frame. */
    refresh() {
        if (this.#isToRefresh || !this.surroundings) return;
        this.#isToRefresh = true;
        requestAnimationFrame(() => {
            this.#isToRefresh = false;
            this.bars.refresh();
            this.surroundings.refresh();
        });
    }

    // --- Commands.

    /** Runs a command. Returns whether it could run. */
    run(id) {
        const command = commands.find((command) => command.id === id);
        if (this.isGone) return false;
        // End a step of the arrow keys before checking `isEnabled`: only that makes it undoable.
        if (!command.isNudge) this.model.settle();
        if (!(command.isEnabled?.(this) ?? true)) return false;
        if (!command.href) return command.run(this) ?? true;
        location.assign(command.href);
        return true;
    }

    /**
     * Adds emoji around a place of the board; in the middle of the view for null.
     *
     * - isChosen: Whether they are selected then. What a finger drops isn't: its next pinch would make it larger.
     */
    add(texts, place, { verb = "Add", isChosen = true } = {}) {
        this.model.add(verb, texts, place && [place.x, place.y], isChosen);
        this.palettes.remember(texts[0]);
    }

    /** Cancels the current drag, gesture or nudge. Returns whether there was one. */
    cancel() {
        const wasNudging = this.model.cancelNudge();
        if (this.bar.drag.cancel()) return true;
        return this.gestures.cancel() || wasNudging;
    }
}

const element = document.getElementById("board");
const model = element ? await instantiate(new URL("board.wasm", import.meta.url)) : null;

/** The page's board. */
export const board = element ? new Board(element, model) : null;
