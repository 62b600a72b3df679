// Search where the site is opened as files: browsers refuse workers and fetch() there. The worker's script runs in a hidden frame
// instead, and the index comes as a script (scripts/docs writes it beside search_index.json).
var __search;
if (location.protocol === "file:") {
  const load = (page, source) =>
    new Promise((done) => {
      const script = page.createElement("script");
      script.src = source;
      script.onload = done;
      page.head.append(script);
    });
  const index = new URL("../search/search_index.js", document.currentScript.src);
  __search = { index: load(document, index).then(() => window.searchIndex) };

  window.Worker = class extends EventTarget {
    constructor(source) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = load(frame.contentDocument, source);
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
