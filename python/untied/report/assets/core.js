// The core: a WebAssembly module whose requests and answers are JSON. See crates/untied-wasm.
"use strict";

/**
 * @typedef {object} Source A file that the core reads from the beginning, as often as it likes.
 * @property {(into: Uint8Array) => number} read Write the next bytes; how many there were.
 * @property {() => void} rewind Begin again.
 */

/**
 * @param {BufferSource | WebAssembly.Module} code The module.
 * @param {Map<number, Source>} files Files by the numbers that requests name.
 * @returns {Promise<(request: object) => any>} Answers requests; what the core refuses is an error with its words.
 */
async function startCore(code, files) {
  const module = code instanceof WebAssembly.Module ? code : await WebAssembly.compile(code);
  const { memory, room, call, length } = /** @type {any} */ (
    await WebAssembly.instantiate(module, {
      page: {
        read(/** @type {number} */ file, /** @type {number} */ into, /** @type {number} */ most) {
          try {
            return files.get(file).read(new Uint8Array(memory.buffer, into >>> 0, most >>> 0));
          } catch {
            return -1; // told by the core, with the name of the file
          }
        },
        rewind: (/** @type {number} */ file) => files.get(file).rewind(),
        fail(/** @type {number} */ text, /** @type {number} */ size) {
          throw new Error(`the core failed: ${new TextDecoder().decode(new Uint8Array(memory.buffer, text >>> 0, size))}`);
        },
      },
    })
  ).exports;
  return (request) => {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const into = room(bytes.length) >>> 0;
    new Uint8Array(memory.buffer, into, bytes.length).set(bytes);
    const begin = call() >>> 0;
    const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, begin, length())));
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  };
}
