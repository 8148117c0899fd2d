// Light or dark: as the system has it, or as was chosen here.
import { effect, signal } from "@preact/signals";
import { browser } from "./server/shelf.js";

const KEY = "kaicep.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export const theme = signal(browser.get(KEY) ?? "system");
const system = signal(dark.matches);
dark.addEventListener("change", () => (system.value = dark.matches));

/** Which one is shown now. */
export const isDark = signal(false);

effect(() => {
  isDark.value = theme.value === "system" ? system.value : theme.value === "dark";
  document.documentElement.dataset.theme = isDark.value ? "dark" : "light";
});

export function chooseTheme(name) {
  theme.value = name;
  if (name === "system") browser.drop(KEY);
  else browser.put(KEY, name);
}

/** The value of a custom property, for what draws on a canvas. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
