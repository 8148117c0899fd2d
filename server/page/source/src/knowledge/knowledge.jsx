// What the project knows: classes with their individuals, an individual among its neighbours, the modules.
import { useEffect, useRef } from "preact/hooks";
import { Card, Empty } from "../parts/card.jsx";
import { reveal } from "../parts/reveal.js";
import { place } from "../router.js";
import { ClassTree } from "./class_tree.jsx";
import { Individual } from "./individual.jsx";
import { Modules } from "./modules.jsx";
import { Found, Search } from "./search.jsx";

/** What is chosen is seen, and the keyboard goes on there where the link that was followed is gone. */
function useRevealed(chosen) {
  const column = useRef(null);
  const first = useRef(true);
  useEffect(() => {
    if (chosen) reveal(column.current);
    if (!first.current && document.activeElement === document.body) column.current.focus({ preventScroll: true });
    first.current = false;
  }, [chosen]);
  return column;
}

export function Knowledge() {
  const { search } = place.value;
  const iri = search.get("iri");
  const text = search.get("search") ?? "";
  const of = search.get("class") ?? "";
  const column = useRevealed(search.toString());
  return (
    <div class="knowledge">
      <h1 class="unseen">Knowledge</h1>
      <Search key={text} text={text} />
      <div class="knowledge-grid">
        <div class="column">
          <ClassTree chosen={of} />
          <Modules />
        </div>
        <div class={`column wide ${iri || text || of ? "chosen" : ""}`} ref={column} tabIndex={-1}>
          {iri ? (
            <Individual iri={iri} />
          ) : text || of ? (
            <Found text={text} of={of} />
          ) : (
            <Card title="An individual">
              <Empty>Choose a class, or search a name: individuals are shown here with all that is said of them.</Empty>
            </Card>
          )}
        </div>
      </div>
    </div>
  );
}
