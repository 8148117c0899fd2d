// The ontology modules: what each brings; one more, of which contradictions are listed before it is taken.
import { Card, ProblemBox } from "../parts/card.jsx";
import { moduleName, number, shortIri } from "../server/terms.js";
import { useAnswer } from "../server/use_answer.js";
import { knowledge } from "../server/vocabulary.js";
import { Uploads } from "./uploads.jsx";

function Module({ module: told }) {
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
    </li>
  );
}

export function Modules() {
  const { value, problem, again } = useAnswer("/ontologies", 0, knowledge.value);
  const modules = Array.isArray(value) ? value : (value?.modules ?? []);
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
      <ul class="modules">
        {modules.map((one, n) => (
          <Module key={one.iri ?? one.name ?? n} module={one} />
        ))}
      </ul>
      <Uploads />
    </Card>
  );
}
