// What the project knows: classes with their individuals, an individual among its neighbours, the modules.
import { Card, Empty } from "../parts/card.jsx";
import { place } from "../router.js";
import { ClassTree } from "./class_tree.jsx";
import { Individual } from "./individual.jsx";
import { Modules } from "./modules.jsx";
import { Found, Search } from "./search.jsx";

export function Knowledge() {
  const { search } = place.value;
  const iri = search.get("iri");
  const text = search.get("search") ?? "";
  const of = search.get("class") ?? "";
  return (
    <div class="knowledge">
      <h1 class="unseen">Knowledge</h1>
      <Search key={text} text={text} />
      <div class="knowledge-grid">
        <div class="column">
          <ClassTree chosen={of} />
          <Modules />
        </div>
        <div class={`column wide ${iri || text || of ? "chosen" : ""}`}>
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
