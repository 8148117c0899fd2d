// What the browser keeps for the page. One that keeps nothing, by its settings, lets the page work as long as it is open.

/** @param {"localStorage" | "sessionStorage"} name of those of the browser */
function shelf(name) {
  const own = new Map();
  let kept = null;
  try {
    kept = window[name];
  } catch {
    // even to look for it is refused
  }
  const put = (key, text) => {
    own.set(key, text);
    try {
      kept?.setItem(key, text);
    } catch {
      // it is full
    }
  };
  const drop = (key) => (own.delete(key), kept?.removeItem(key));
  return { get: (key) => own.get(key) ?? kept?.getItem(key) ?? null, put, drop };
}

/** As long as the tab. */
export const tab = shelf("sessionStorage");
/** For all tabs, and the next time. */
export const browser = shelf("localStorage");
