// The page's side of a WebAssembly module: each function of the module becomes a function of JavaScript.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * What a function of a module returns: its value, what the page has to do, and numbers that are valid until the next call.
 *
 * @typedef {{ value: any, effects: any, numbers: Float64Array }} Outcome
 */

/**
 * Makes an instance of a module.
 *
 * @param {string | URL} address - Where the module is; it is compiled while it arrives.
 * @returns {Promise<Record<string, (...values: any[]) => Outcome>>} The module's functions. Their arguments are values that JSON
 *     has; a TypeError says which argument a function doesn't take.
 */
export async function instantiate(address) {
    let memory;
    const bytes = (pointer, count) => new Uint8Array(memory.buffer, pointer, count);
    const page = {
        random: (pointer, count) => crypto.getRandomValues(bytes(pointer, count)),
        number: (pointer, count) => Number(decoder.decode(bytes(pointer, count))),
    };
    const { instance } = await WebAssembly.instantiateStreaming(fetch(address), { page });
    const exports = /** @type {any} */ (instance.exports);
    memory = exports.memory;
    const model = exports.create();
    const result = () => decoder.decode(bytes(exports.result(model), exports.resultCount(model)));
    const call = (index, values) => {
        const text = encoder.encode(JSON.stringify(values));
        const pointer = exports.allocate(text.length);
        bytes(pointer, text.length).set(text);
        const isRefused = exports.call(model, index, pointer, text.length) !== 0;
        if (isRefused) throw new TypeError(result());
        const numbers = new Float64Array(memory.buffer, exports.numbers(model), exports.numbersCount(model));
        return { ...JSON.parse(result()), numbers };
    };
    exports.functions(model);
    return Object.fromEntries(JSON.parse(result()).map((name, index) => [name, (...values) => call(index, values)]));
}
