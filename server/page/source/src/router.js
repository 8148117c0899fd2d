// Where one is: the part of the address behind `#`. The server has paths of its own.
import { signal } from "@preact/signals";

function read() {
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
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
