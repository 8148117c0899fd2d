// The ontology modules: what each brings; one more, of which contradictions are listed before it is taken.
import { useRef } from "preact/hooks";
import { Card, ProblemBox } from "../parts/card.jsx";
import { lacking } from "../server/role.js";
import { moduleName, number, shortIri } from "../server/terms.js";
import { useAnswer } from "../server/use_answer.js";
import { knowledge } from "../server/vocabulary.js";
import { useChanges } from "./changes.js";
import { Uploads } from "./uploads.jsx";

/** What was uploaded, and not written in the project file, is called by the address of its graph. */
const UPLOADED = /^https?:.*\/graphs\/[^/]+$/;

function Module({ module: told, onRemove }) {
  const name = told.name ?? told.label ?? told.iri ?? told.source;
  const about = [
    told.triples !== undefined && `${number(told.triples)} triples`,
    told.classes !== undefined && `${number(told.classes)} classes`,
    told.individuals !== undefined && `${number(told.individuals)} individuals`,
    told.imports?.length && `imports ${told.imports.map(shortIri).join(", ")}`,
  ];
  return (
    <li>
      <span class="name" title={name}>
        {moduleName(name)}
      </span>
      <span class="note">{about.filter(Boolean).join(" · ")}</span>
      {UPLOADED.test(name) && onRemove && (
        <button type="button" aria-label={`Remove ${moduleName(name)}`} onClick={() => onRemove(name)}>
          Remove
        </button>
      )}
    </li>
  );
}

export function Modules() {
  const { value, problem, again } = useAnswer("/ontologies", 0, knowledge.value);
  const modules = Array.isArray(value) ? value : (value?.modules ?? []);
  const changes = useChanges();
  const list = useRef(null);
  const remove = (name) => {
    const shown = moduleName(name);
    if (!confirm(`Remove ${shown}? What it alone says is no part of the knowledge any more.`)) return;
    list.current.focus(); // the button is gone while something is at work
    changes.begin("removal", shown, `/graphs?graph=${encodeURIComponent(name)}`, { method: "DELETE" });
  };
  const contradictions = value?.contradictions ?? [];
  return (
    <Card title="Modules">
      <ProblemBox problem={problem} again={again} />
      {contradictions.length > 0 && (
        <div class="problem" role="alert">
          <p>
            <strong>The knowledge contradicts itself:</strong>
          </p>
          <ul>
            {contradictions.map((one, n) => (
              <li key={n}>{typeof one === "string" ? one : (one.text ?? one.message ?? JSON.stringify(one))}</li>
            ))}
          </ul>
        </div>
      )}
      <ul class="modules" ref={list} tabIndex={-1}>
        {modules.map((one, n) => (
          <Module key={one.iri ?? one.name ?? n} module={one} onRemove={changes.busy || lacking("admin") ? null : remove} />
        ))}
      </ul>
      <Uploads changes={changes} />
    </Card>
  );
}
