// Draws the gauge and the curve from the model's numbers, in the colours of the server's pictures.

const height = 190;
const names = { svg: "http://www.w3.org/2000/svg" };

/** An SVG element with attributes and children. */
function element(name, attributes, ...children) {
    const made = document.createElementNS(names.svg, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.append(...children);
    return made;
}

/**
 * The gauge of a level.
 *
 * - level: What the model says of the level: `fraction`, `colour` and `marks`.
 * - label: The level in words.
 */
export function gauge(level, label) {
    const ends = [0, ...level.marks.map(({ fraction }) => fraction), 1];
    const colours = ["green", ...level.marks.map(({ colour }) => colour)];
    const line = (kind, colour, start, end) => element("path", {
        class: `gauge-${kind} ${colour}`, d: `M${start * 500} 7H${end * 500}`, "stroke-width": 14,
    });
    const zones = colours.map((colour, index) => line("zone", colour, ends[index], ends[index + 1]));
    const filled = level.fraction > 0 ? [line("fill", level.colour, 0, level.fraction)] : [];
    const attributes = {
        class: "gauge", width: "100%", height: 14, viewBox: "0 0 500 14", preserveAspectRatio: "none", role: "img",
        "aria-label": label,
    };
    return element("svg", attributes, ...zones, ...filled);
}

/**
 * The curve of the level, with its range, the threshold and now.
 *
 * - numbers: The level at each time, then its lower and its upper bound.
 * - count: How many times there are.
 * - threshold: The bedtime limit, in milligrams.
 * - hours: Labels of times, each with its place from 0 to 1; a narrow window doesn't show those that are `isSeldom`.
 * - label: What the picture shows, in words.
 */
export function curve(numbers, count, threshold, hours, label) {
    const part = (index) => Array.from(numbers.subarray(index * count, (index + 1) * count));
    const [level, low, high] = [part(0), part(1), part(2)];
    const ceiling = Math.ceil(Math.max(threshold * 1.5, 60, ...high) / 50) * 50;
    const y = (milligrams) => Math.round((1 - milligrams / ceiling) * 1000);
    const path = (values) => values.map((value, index) => `${index ? "L" : "M"}${index} ${y(value)}`).join("");
    const back = low.map((value, index) => `L${index} ${y(value)}`).reverse().join("");
    const attributes = {
        class: "plot", width: "100%", height, viewBox: `0 0 ${count - 1} 1000`, preserveAspectRatio: "none",
    };
    const plot = element(
        "svg", attributes,
        element("path", { class: "band", d: `${path(high)}${back}Z` }),
        element("path", { class: "area", d: `${path(level)}V1000H0Z` }),
        element("path", { class: "line", d: path(level) }),
    );
    const across = (top) => element("line", { x1: 0, x2: "100%", y1: top, y2: top });
    const limit = element("g", { class: "threshold" }, across((y(threshold) / 1000) * height));
    const now = element("g", { class: "now" }, element("line", { x1: "50%", x2: "50%", y1: 0, y2: height }));
    const labels = hours.map(({ place, text, isSeldom }) => element(
        "text", { class: `hour${isSeldom ? " seldom" : ""}`, x: `${place * 100}%`, y: height + 18 }, text,
    ));
    const axis = element("g", { class: "grid" }, across(height), ...labels);
    const whole = { class: "chart", width: "100%", height: height + 26, role: "img", "aria-label": label };
    return element("svg", whole, axis, plot, limit, now);
}
