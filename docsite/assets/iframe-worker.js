// A browser starts no worker from a file, but from a text: so the search works in pages that are opened from a disk.
if (location.protocol === "file:") {
  const source = URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" }));
  const FromServer = window.Worker;
  window.Worker = class extends FromServer {
    constructor() {
      super(source);
    }
  };
}
