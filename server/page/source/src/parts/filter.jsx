// A long list, of which those are shown whose name has some letters.
import { useState } from "preact/hooks";

/** So many are seen at once without looking for them. */
const FEW = 30;

/**
 * @param {object[]} items
 * @param {(item: object) => string} nameOf
 * @param {string} label of the field
 * @returns {{shown: object[], field: any, many: boolean, wanted: string}} `field` is null where they are few; `wanted`: what is looked for
 */
export function useFilter(items, nameOf, label) {
  const [typed, setTyped] = useState("");
  const many = items.length > FEW;
  const wanted = many ? typed.trim().toLowerCase() : "";
  const shown = wanted ? items.filter((item) => nameOf(item).toLowerCase().includes(wanted)) : items;
  const field = many && (
    <div class="filter">
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onInput={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && setTyped("")}
        spellcheck={false}
      />
      <span class="note" role="status">
        {wanted ? `${shown.length} of ${items.length}` : `${items.length}`}
      </span>
    </div>
  );
  return { shown, field: field || null, many, wanted };
}
