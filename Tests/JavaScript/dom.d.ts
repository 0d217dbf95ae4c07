// Declarations that TypeScript 4.8 lacks, and types for what scripts know about their own pages.

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
    convertToBlob(options?: { type?: string }): Promise<Blob>;
}
interface OffscreenCanvasRenderingContext2D extends Omit<CanvasRenderingContext2D, "canvas"> {
    readonly canvas: OffscreenCanvas;
}

// https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Map/groupBy
interface MapConstructor {
    groupBy<Item, Key>(items: Iterable<Item>, key: (item: Item) => Key): Map<Key, Item[]>;
}

// TypeScript's own declarations of these two can't be extended, so scripts cast them.
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

// The paths of static files as pages import them: see StaticFiles in Sources/Site.
declare module "*/site/backoff.js" {
    export * from "site:backoff.js";
}
declare module "*/site/bridge.js" {
    export * from "site:bridge.js";
}
declare module "*/site/event-stream.js" {
    export * from "site:event-stream.js";
}
declare module "*/site/expiring.js" {
    export * from "site:expiring.js";
}
declare module "*/site/morph.js" {
    export * from "site:morph.js";
}
declare module "*/site/storage.js" {
    export * from "site:storage.js";
}

// Scripts query only HTML elements. They declare an element's type only if they use its members, and the tag doesn't
// imply it.
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

// Submit events: the target is a form, and the submitter one of its buttons.
interface FormSubmitEvent extends SubmitEvent {
    readonly target: HTMLFormElement;
    readonly submitter: HTMLButtonElement | null;
}
interface Document {
    addEventListener(type: "submit", listener: (event: FormSubmitEvent) => unknown): void;
}

// Events that live.js dispatches, and one that it listens for.
interface DocumentEventMap {
    "live:updated": CustomEvent<{ address: string; name: string }>;
    "live:answered": CustomEvent<{ form: HTMLFormElement; isRefused: boolean }>;
    "live:outdated": Event;
}

// The fields of the palettes' forms.
interface HTMLFormControlsCollection {
    readonly emojis?: HTMLInputElement;
    readonly q?: HTMLInputElement;
    readonly group?: HTMLInputElement;
}

/** What captures record in a page, in an isolated world. */
interface Window {
    /** The frames that elements own. */
    framesOfElements?: Map<Element, string>;
    /** The positions, heights and height properties of elements, and the window's height when they were recorded. */
    measured?: Map<any, { top: number, height: number, styles: ?string[] }>;
    measuredWindow?: number;
    /** The elements whose heights are kept, and their own styles. */
    frozen?: Map<any, ?string>;
    /** The elements that were changed for the stripes of a picture, with their styles, and the fixed ones with their places. */
    striped?: [any, ?string][];
    fixed?: [any, number][];
    paused?: Animation[];
    ignoreScrolling?: (event: Event) => void;
    /** What watches for changes, and their number. */
    watcher?: MutationObserver;
    changes?: number;
}

// The words of an app's scripts, which Swift writes (ScriptWords); StaticFiles.scriptProblems finds missing ones.
declare module "*/words.js";

/** The words that a board's model refers to, from `words.js`: texts, and functions for texts with values. */
declare module "*/model-words.js" {
    export const words: Record<string, any>;
}

// Sources/Toolkit/Capture/ThirdParty/Readability/Readability.js
declare class Readability {
    constructor(document: Document, options?: { serializer?: (element: any) => any, keepClasses?: boolean });
    parse(): { title: string, byline: ?string, dir: ?string, lang: ?string, siteName: ?string, content: any } | null;
}
