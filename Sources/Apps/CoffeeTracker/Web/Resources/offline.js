// The page “offline”: shows the level, the curve and the answers that the model computes from the browser's copy of the
// drinks, and logs drinks, which are sent when the server answers again.

import { instantiate } from "../site/bridge.js";
import { curve, gauge } from "./offline-pictures.js";
import { WaitingDrinks } from "./waiting-drinks.js";
import {
    about, amountFault, answerNow, anyTime, asOf, atBedtime, atLimit, atTime, belowLimit, chartLabel, cupsToday,
    deleteDrink, drinkFault, drinkGone, editAmount, forMostPeople, guidance, highWord, howMuchNow, ifIGoToBedNow,
    ifYouGoToBedNow, inBodyNow, keepsBelow, lowWord, milligrams, minutesAgo, moderateWord, noAnswer, noDrinksYet,
    notSaved, notStored, nothing, nothingStored, noWebAssembly, offlineNow, oneRefused, oneWaits, onlineAgain,
    outboxFull, overBedtimeLimit, overDailyLimit, overDailyLimitBy, overLimit, overLimitButAsleep, overTheDailyLimit,
    reachedDailyLimit, rising, saveAmount, sending, severalRefused, severalWait, showFullPage, staysBelow, timeFault,
    tooLate, tryAgain, waits, whenBelow, whenBelowAgain,
} from "./words.js";

const day = 86_400;
/** The seconds between two points of the chart, and how many there are: a day back and a day ahead. */
const step = 900;
const pointCount = (2 * day) / step + 1;
/** Milliseconds between two attempts to reach the server, and between two updates of the level. */
const pollInterval = 30_000;

const language = `${document.documentElement.dataset.language}-u-nu-latn`;
const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const colourWords = { green: lowWord, yellow: moderateWord, red: highWord };
const faults = {
    milligrams: amountFault, future: timeFault, time: timeFault, full: outboxFull, gone: drinkGone,
};

let model = null;
let waiting = null;
/** The data that the server sent last: drinks, settings and kinds. */
let copy = null;
/** Whether the server answered the last request. */
let isOnline = false;
/** The message about the last change; empty for none. */
let message = "";
let shownDrinks = "";
let shownState = "";
let isRenderingSoon = false;

// --- Words.

/** An amount of caffeine without its unit, rounded as on the server's pages. */
function number(value) {
    return (Math.abs(value) < 9.95 ? fine : whole).format(value);
}

function amount(value) {
    return milligrams({ number: number(value) });
}

/** A format of times on the owner's clock. */
function timeFormat(options, locale = language) {
    try {
        return new Intl.DateTimeFormat(locale, { ...options, timeZone: copy.zone });
    } catch {
        // This browser doesn't know the time zone.
        return new Intl.DateTimeFormat(locale, options);
    }
}

function format(seconds, options) {
    return timeFormat(options).format(new Date(seconds * 1000));
}

function clock(seconds) {
    const hour12 = copy.usesTwelveHours;
    return format(seconds, { hour: hour12 ? "numeric" : "2-digit", minute: "2-digit", hour12 });
}

/** A time, with the day of the week unless it is today. */
function when(seconds) {
    const date = { year: "numeric", month: "numeric", day: "numeric" };
    const isToday = format(seconds, date) === format(Date.now() / 1000, date);
    return isToday ? clock(seconds) : `${format(seconds, { weekday: "short" })} ${clock(seconds)}`;
}

// --- Elements.

/** An element with properties and children. */
function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
}

function replace(id, ...children) {
    document.getElementById(id).replaceChildren(...children);
}

function button(text, label, onClick, className = "button quiet") {
    const made = element("button", { type: "button", className, textContent: text });
    if (label !== text) made.setAttribute("aria-label", label);
    made.addEventListener("click", onClick);
    return made;
}

// --- What is shown.

function renderState() {
    const status = model.status().value;
    const count = (number, one, several) => (number === 1 ? one : several({ count: whole.format(number) }));
    const sentences = [message];
    if (status.kind === "failed") sentences.push(count(status.refused, oneRefused, severalRefused));
    if (status.kind === "offline") {
        sentences.push(status.reason ?? noAnswer, count(status.waiting, oneWaits, severalWait));
    }
    if (status.kind === "saving") sentences.push(sending);
    if (status.kind === "saved") sentences.push(isOnline ? onlineAgain : offlineNow);
    if (!status.isStored) sentences.push(notStored);
    if (!isOnline) sentences.push(asOf({ time: when(copy.time) }));
    const text = element("p", { textContent: sentences.filter((sentence) => sentence).join(" ") });
    const children = [text];
    if (status.kind === "offline") children.push(button(tryAgain, tryAgain, () => waiting.call("retry"), "button"));
    if (isOnline) children.push(element("a", { className: "button", href: "/coffee/", textContent: showFullPage }));
    document.getElementById("state").dataset.kind = status.kind;
    // Only a change is announced.
    const shown = children.map((child) => child.textContent).join(" ");
    if (shown !== shownState) replace("state", ...children);
    shownState = shown;
}

function renderNow(answers, time) {
    const { level, peak } = answers;
    const word = colourWords[level.colour];
    const range = answers.hasRange ? about({ low: number(answers.low), high: amount(answers.high) }) : "";
    const rise = peak ? rising({ amount: amount(peak.level.milligrams), time: when(peak.time) }) : "";
    const badge = { green: "good", yellow: "busy", red: "bad" }[level.colour];
    const { cups } = model.cups(time).value;
    const total = { cups: fine.format(cups), amount: amount(answers.guidance.today) };
    replace(
        "now",
        element(
            "p", { className: `level ${level.colour}` },
            element("strong", { textContent: number(level.milligrams) }), " ",
            element("span", { textContent: milligrams({ number: "" }).trim() }),
        ),
        element(
            "p", { className: "level-text" }, element("span", { className: `badge ${badge}`, textContent: word }), " ",
            inBodyNow({ range: range && `, ${range}`, rise: rise && `; ${rise}` }),
        ),
        gauge(level, `${amount(level.milligrams)}, ${word}`),
        element("p", { className: "soft", textContent: cupsToday(total) }),
    );
}

function renderChart(answers, time) {
    const start = time - day;
    const { numbers } = model.curve(start, step, pointCount);
    const hours = [];
    const local = timeFormat({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }, "en-GB");
    for (let moment = Math.ceil(start / step) * step; moment <= time + day; moment += step) {
        const [hour, minute] = local.format(new Date(moment * 1000)).split(":");
        if (minute !== "00" || Number(hour) % 6 !== 0) continue;
        const text = copy.usesTwelveHours ? format(moment, { hour: "numeric", hour12: true }) : clock(moment);
        hours.push({ place: (moment - start) / (2 * day), text, isSeldom: Number(hour) % 12 !== 0 });
    }
    replace("chart", curve(numbers, pointCount, answers.threshold, hours, chartLabel));
}

function renderAnswers(answers, time) {
    const limit = amount(answers.threshold);
    const isBed = answers.bedtime <= time;
    const night = isBed ? ifYouGoToBedNow : atTime({ time: when(answers.bedtime) });
    const isOver = answers.guidance.isOverDaily;
    const daily = amount(answers.guidance.daily);
    const add = (question, answer, detail) => element(
        "li", {}, element("h3", { textContent: question }), element("p", { className: "answer", textContent: answer }),
        element("p", { className: "soft", textContent: detail }),
    );
    const [early, late] = answers.belowThresholdTimes;
    const edges = { early: early <= time ? answerNow : when(early), late: when(late) };
    const below = answers.isBelowThreshold
        ? add(whenBelow({ amount: limit }), answerNow, staysBelow)
        : add(
            (answers.isRisingOver ? whenBelowAgain : whenBelow)({ amount: limit }), when(answers.belowThresholdAt),
            forMostPeople(edges),
        );
    const { excess } = answers;
    const comparison = excess < 0
        ? belowLimit({ limit }) : excess === 0 ? atLimit({ limit }) : overLimit({ limit, amount: amount(excess) });
    const asleep = add(
        isBed ? ifIGoToBedNow : atBedtime({ time: when(answers.bedtime) }), amount(answers.highestAsleep), comparison,
    );
    const { allowance } = answers;
    const reasons = {
        tooLate: overBedtimeLimit({ night }),
        limitReached: (isOver ? overDailyLimit : reachedDailyLimit)({ amount: daily }),
    };
    const isForSleep = answers.largestDoseForSleep <= answers.largestDose;
    const most = typeof allowance === "number"
        ? add(howMuchNow, amount(allowance), isForSleep ? keepsBelow({ limit, night }) : overLimitButAsleep)
        : add(howMuchNow, nothing, reasons[allowance]);
    replace("answer-list", below, asleep, most);
    renderLatest(time);
    const sentences = [
        guidance({ number: number(answers.guidance.today), amount: daily, limit: copy.limitPhrase }),
        isOver ? overDailyLimitBy({ amount: amount(answers.guidance.today - answers.guidance.daily) }) : "",
    ];
    replace("guidance", sentences.join(" "));
}

/** The latest time for each usual drink. */
function renderLatest(time) {
    const times = model.latestTimes(copy.kinds.map((kind) => kind.milligrams), time).value;
    const objections = { tooLate, overLimit: overTheDailyLimit };
    const text = (latest) => {
        if (latest.objection) return objections[latest.objection];
        if (typeof latest.time === "number") return when(latest.time);
        return latest.time ? anyTime : tooLate;
    };
    replace("latest", ...copy.kinds.map((kind, index) => element(
        "li", {}, element("span", { textContent: `${kind.emoji} ${kind.name}, ${amount(kind.milligrams)}` }), " ",
        element("strong", { textContent: text(times[index]) }),
    )));
}

/** Renders the last day's drinks and the waiting ones if they have changed; a person may be editing one. */
function renderDrinks(time) {
    const drinks = model.drinks().value.filter((drink) => drink.start > time - day || drink.isWaiting);
    const text = JSON.stringify([drinks, copy.zone]);
    if (text === shownDrinks) return;
    shownDrinks = text;
    const others = new Set(copy.drinks.filter((drink) => !drink.isOwn).map((drink) => drink.id));
    const items = drinks.map((drink) => drinkItem(drink, !others.has(drink.id)));
    replace("drinks", ...(items.length ? items : [element("li", { className: "soft", textContent: noDrinksYet })]));
}

function drinkItem(drink, isOwn) {
    const badge = drink.isWaiting
        ? element("span", {
            className: `badge ${drink.refusal ? "bad" : "busy"}`, textContent: drink.refusal ? notSaved : waits,
        }) : null;
    const body = element(
        "div", { className: "item-body" },
        element("h3", { className: "item-title", textContent: `${drink.emoji} ${drink.name} ` },
            element("span", { className: "soft", textContent: amount(drink.milligrams) })),
        element("p", { className: "meta" }, element("span", { textContent: when(drink.start) }), badge),
        drink.refusal ? element("p", { className: "warn", textContent: drink.refusal }) : null,
    );
    const item = element("li", { className: "item drink-item" }, body);
    if (!isOwn) return item;
    const field = element("input", { type: "number", step: "any", min: "0", value: String(drink.milligrams) });
    field.setAttribute("aria-label", editAmount({ name: drink.name }));
    const form = element(
        "form", { className: "row" }, field,
        element("button", { className: "button quiet", type: "submit", textContent: saveAmount }),
    );
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        const milligrams = field.valueAsNumber;
        if (Number.isNaN(milligrams)) return report("milligrams");
        report(waiting.call("edit", { ...drink, milligrams }, Date.now() / 1000));
    });
    const label = `${deleteDrink} ${drink.name}`;
    const remove = button(deleteDrink, label, () => report(waiting.call("delete", drink.id)));
    item.append(element("div", { className: "item-actions" }, form, remove));
    return item;
}

/** Renders the buttons of the usual drinks, and the field for how long ago the drink was. */
function renderLog() {
    const field = element("input", { type: "number", min: "0", step: "1", value: "0", id: "minutes-ago" });
    const label = element("label", { htmlFor: "minutes-ago", textContent: minutesAgo });
    const buttons = copy.kinds.map((kind) => {
        const made = button("", "", () => {
            const minutes = field.valueAsNumber || 0;
            field.value = "0";
            log(kind, Date.now() / 1000 - minutes * 60);
        }, "button drink");
        made.append(
            element("span", { className: "drink-emoji", textContent: kind.emoji, ariaHidden: "true" }),
            element("span", { className: "drink-name", textContent: kind.name }), " ",
            element("span", { className: "drink-amount", textContent: amount(kind.milligrams) }),
        );
        return made;
    });
    replace(
        "log",
        element("div", { className: "quick" }, element("div", { className: "quick-buttons" }, ...buttons)),
        element("div", { className: "field" }, label, field),
    );
}

function log(kind, start) {
    const drink = { ...kind, start, sipping: 0, timeZone: copy.zone };
    report(waiting.call("log", drink, Date.now() / 1000));
}

/** Shows the message for a fault's name; null removes the message. */
function report(fault) {
    message = fault === null ? "" : faults[fault] ?? drinkFault;
    renderSoon();
}

function render() {
    const time = Date.now() / 1000;
    const answers = model.answers(time).value;
    renderState();
    renderNow(answers, time);
    renderDrinks(time);
    renderChart(answers, time);
    renderAnswers(answers, time);
}

/** Renders once for all changes of the current task. */
function renderSoon() {
    if (isRenderingSoon) return;
    isRenderingSoon = true;
    queueMicrotask(() => {
        isRenderingSoon = false;
        render();
    });
}

// --- The server.

function handleEffects({ refused, confirmed }) {
    if (refused) message = refused.map(({ name, reason }) => `“${name}”: ${reason}`).join(" ");
    if (confirmed) refresh();
    renderSoon();
}

/**
 * The drinks and settings: the server's, or those that the browser stored before; null if there are none.
 *
 * The service worker stores the server's response, and returns it when the server doesn't answer.
 */
async function readCopy() {
    try {
        const response = await fetch("/coffee/offline.json");
        isOnline = response.ok && !response.headers.has("X-Stored");
        return response.ok ? await response.json() : null;
    } catch {
        isOnline = false;
        return null;
    }
}

/** Takes the drinks of the server, if it answers. */
async function refresh() {
    const read = await readCopy();
    if (read && isOnline) {
        const kinds = JSON.stringify(copy.kinds);
        copy = read;
        waiting.call("setSettings", copy.settings);
        waiting.call("receiveDrinks", copy.drinks, copy.revision);
        if (JSON.stringify(copy.kinds) !== kinds) renderLog();
    }
    renderSoon();
}

function showMessage(text) {
    replace("state", element("p", { textContent: text }));
}

async function open() {
    copy = await readCopy();
    if (!copy) return showMessage(nothingStored);
    try {
        model = await instantiate(new URL("caffeine.wasm", import.meta.url));
    } catch {
        return showMessage(noWebAssembly);
    }
    waiting = new WaitingDrinks(model, handleEffects);
    waiting.call("open", copy.settings, copy.drinks, copy.revision);
    waiting.open();
    renderLog();
    document.getElementById("offline").hidden = false;
    setInterval(refresh, pollInterval);
}

open();
