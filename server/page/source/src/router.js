// Where one is: the part of the address behind `#`. The server has paths of its own.
import { signal } from "@preact/signals";

/** A part of an address; one that somebody typed by hand may hold a `%` that encodes nothing, and is what it says. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function read() {
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decoded);
  return { view: parts[0] ?? "live", parts: parts.slice(1), search: new URLSearchParams(search) };
}

export const place = signal(read());
addEventListener("hashchange", () => (place.value = read()));

/** The address of a view; what is asked of it, as an object. */
export function href(view, parts = [], search = {}) {
  const asked = new URLSearchParams(Object.entries(search).filter(([, value]) => value)).toString();
  return `#/${[view, ...parts].map(encodeURIComponent).join("/")}${asked ? `?${asked}` : ""}`;
}

export const go = (...where) => (location.hash = href(...where));

/** Go on from an address at which nothing is: Back leads to the one before it. */
export function leadOn(...where) {
  history.replaceState(null, "", href(...where));
  place.value = read();
}
