// Individuals by their label or IRI, or those of a class.
import { useRef } from "preact/hooks";
import { Card, Empty, ProblemBox } from "../parts/card.jsx";
import { Icon } from "../parts/icon.jsx";
import { go, href } from "../router.js";
import { shortIri } from "../server/terms.js";
import { useAnswer } from "../server/use_answer.js";
import { knowledge } from "../server/vocabulary.js";

const MOST = 100;

export function Search({ text }) {
  const field = useRef(null);
  const submit = (event) => {
    event.preventDefault();
    go("knowledge", [], { search: field.current.value.trim() });
  };
  return (
    <form class="search" role="search" onSubmit={submit}>
      <label>
        <span class="unseen">Search individuals by name</span>
        <Icon name="search" />
        <input ref={field} type="search" defaultValue={text} placeholder="Search individuals by name, such as “lecture room”" />
      </label>
      <button type="submit">Search</button>
    </form>
  );
}

export function Found({ text, of }) {
  const asked = new URLSearchParams({ ...(text && { search: text }), ...(of && { class: of }), limit: String(MOST) });
  const { value, problem, loading, again } = useAnswer(`/individuals?${asked}`, 0, knowledge.value);
  const found = Array.isArray(value) ? value : (value?.individuals ?? []);
  return (
    <Card title={of ? `Individuals of ${shortIri(of)}` : `Individuals called “${text}”`} note={found.length ? `${found.length}${found.length === MOST ? " or more" : ""}` : null}>
      <ProblemBox problem={problem} again={again} />
      {!loading && value && found.length === 0 && <Empty>There is none. Part of a label is enough, and case does not matter.</Empty>}
      <ul class="found">
        {found.map(({ iri, label, classes = [] }) => (
          <li key={iri}>
            <a class="row-button" href={href("knowledge", [], { iri })}>
              <span class="name">{label || shortIri(iri)}</span>
              <span class="note">{classes.map(shortIri).join(", ")}</span>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}
