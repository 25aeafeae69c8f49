// The worker: reads files from the disk piece by piece, and gives the core's answers.
const CHUNK = 1 << 20; // bytes that are read at a time, and after which the page is told
// A browser collects what was read only after a hundred megabytes or more; what is sent to a closed port is freed at once.
const discarded = new MessageChannel();
discarded.port2.close();

/** @implements {Source} */
class Local {
  /** @param {Blob} blob @param {string} name */
  constructor(blob, name) {
    [this.blob, this.name, this.reader] = [blob, name, new FileReaderSync()];
    this.rewind();
  }

  rewind() {
    this.next = 0;
    this.hold(new Uint8Array(0));
  }

  /** @param {Uint8Array} chunk */
  hold(chunk) {
    if (this.chunk) discarded.port1.postMessage(null, [this.chunk.buffer]);
    [this.chunk, this.at] = [chunk, 0];
  }

  /** @param {Uint8Array} into */
  read(into) {
    if (this.at === this.chunk.length && this.next < this.blob.size) {
      const end = Math.min(this.next + CHUNK, this.blob.size);
      this.hold(new Uint8Array(this.reader.readAsArrayBuffer(this.blob.slice(this.next, end))));
      this.next = end;
      postMessage({ progress: { name: this.name, done: end, of: this.blob.size } });
    }
    const part = this.chunk.subarray(this.at, this.at + into.length);
    into.set(part);
    this.at += part.length;
    return part.length;
  }
}

const files = new Map();
let core;

onmessage = async ({ data }) => {
  if (data.module) core = startCore(data.module, files);
  else if (data.blob) files.set(data.file, new Local(data.blob, data.name));
  else {
    try {
      postMessage({ id: data.id, answer: (await core)(data.request) });
    } catch (error) {
      postMessage({ id: data.id, error: error.message });
    }
  }
};
