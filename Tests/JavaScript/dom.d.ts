// What the pages' scripts use and TypeScript 4.8 doesn't know, and types for what they know about their own pages.

// https://developer.mozilla.org/docs/Web/API/Popover_API
interface HTMLElement {
    showPopover(): void;
    hidePopover(): void;
    addEventListener(type: "toggle", listener: (event: ToggleEvent) => unknown): void;
}
interface ToggleEvent extends Event {
    readonly newState: "open" | "closed";
}

// https://developer.mozilla.org/docs/Web/API/OffscreenCanvas
declare class OffscreenCanvas {
    constructor(width: number, height: number);
    width: number;
    height: number;
    getContext(kind: "2d"): OffscreenCanvasRenderingContext2D;
    transferToImageBitmap(): ImageBitmap;
}
interface OffscreenCanvasRenderingContext2D extends Omit<CanvasRenderingContext2D, "canvas"> {
    readonly canvas: OffscreenCanvas;
}

// https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Map/groupBy
interface MapConstructor {
    groupBy<Item, Key>(items: Iterable<Item>, key: (item: Item) => Key): Map<Key, Item[]>;
}

// To TypeScript's own declarations of these two nothing can be added: scripts cast them.
// https://developer.mozilla.org/docs/Web/API/URL/canParse_static
// https://developer.mozilla.org/docs/Web/API/URL/parse_static
interface URLConstructor {
    parse(url: string, base?: string): URL | null;
    canParse(url: string, base?: string): boolean;
}
// https://developer.mozilla.org/docs/Web/API/FormData/FormData#submitter
interface FormDataConstructor {
    new (form?: HTMLFormElement, submitter?: HTMLElement | null): FormData;
}

// The folders of static files as pages see them: see StaticFiles in Sources/Site.
declare module "*/site/backoff.js" {
    export * from "site:backoff.js";
}
declare module "*/site/morph.js" {
    export * from "site:morph.js";
}

// Scripts look for elements of HTML only, and say which where a tag alone doesn't and they need more than all have.
interface ParentNode {
    querySelector<Tag extends keyof HTMLElementTagNameMap>(tag: Tag): HTMLElementTagNameMap[Tag] | null;
    querySelector<Found extends Element = HTMLElement>(selectors: string): Found | null;
    querySelectorAll<Tag extends keyof HTMLElementTagNameMap>(tag: Tag): NodeListOf<HTMLElementTagNameMap[Tag]>;
    querySelectorAll<Found extends Element = HTMLElement>(selectors: string): NodeListOf<Found>;
}
interface Document {
    getElementById<Found extends HTMLElement = HTMLElement>(id: string): Found | null;
}
interface Element {
    closest<Tag extends keyof HTMLElementTagNameMap>(tag: Tag): HTMLElementTagNameMap[Tag] | null;
    closest<Found extends Element = HTMLElement>(selectors: string): Found | null;
}

// An element whose children are all of one kind.
interface HTMLElementOf<Child extends HTMLElement> extends HTMLElement {
    readonly children: HTMLCollectionOf<Child>;
    readonly firstElementChild: Child | null;
}

// What is submitted is a form, by a button of it.
interface FormSubmitEvent extends SubmitEvent {
    readonly target: HTMLFormElement;
    readonly submitter: HTMLButtonElement | null;
}
interface Document {
    addEventListener(type: "submit", listener: (event: FormSubmitEvent) => unknown): void;
}

// What live.js tells.
interface DocumentEventMap {
    "live:updated": CustomEvent<{ address: string; name: string }>;
}

// The fields of the palettes' forms.
interface HTMLFormControlsCollection {
    readonly emojis?: HTMLInputElement;
    readonly q?: HTMLInputElement;
}

/** What captures note in a page, in a world of their own. */
interface Window {
    /** The frames that elements stand for. */
    framesOfElements?: Map<Element, string>;
    /** The heights that elements had. */
    heights?: [HTMLElement, number][];
}
