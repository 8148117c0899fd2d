// An individual: what it is, what is said of it, and who speaks of it, drawn around it and listed.
import { Card, ProblemBox } from "../parts/card.jsx";
import { Value } from "../parts/table.jsx";
import { href } from "../router.js";
import { isIri, shortIri } from "../server/terms.js";
import { useAnswer } from "../server/use_answer.js";
import { knowledge } from "../server/vocabulary.js";
import { Neighbourhood } from "./neighbourhood.jsx";

/** Triples by their property, the outgoing ones first. */
export function byProperty(triples) {
  const groups = new Map();
  for (const triple of triples) {
    const key = `${triple.incoming ? "1" : "0"}${triple.property}`;
    if (!groups.has(key)) groups.set(key, { property: triple.property, incoming: Boolean(triple.incoming), values: [] });
    groups.get(key).values.push(triple);
  }
  return [...groups].sort(([a], [b]) => a.localeCompare(b)).map(([, group]) => group);
}

const Named = ({ value, label }) =>
  isIri(value) && label ? (
    <a href={href("knowledge", [], { iri: value })} title={value}>
      {label}
    </a>
  ) : (
    <Value value={label || value} />
  );

function Group({ group }) {
  return (
    <>
      <dt title={group.property}>{group.incoming ? <>is {shortIri(group.property)} of</> : shortIri(group.property)}</dt>
      <dd>
        <ul class="values">
          {group.values.map(({ value, label }, n) => (
            <li key={n}>
              <Named value={value} label={label} />
            </li>
          ))}
        </ul>
      </dd>
    </>
  );
}

export function Individual({ iri }) {
  const { value, problem, again } = useAnswer(`/individuals?iri=${encodeURIComponent(iri)}`, 0, knowledge.value);
  const name = value?.label || shortIri(iri);
  const groups = byProperty(value?.triples ?? []);
  return (
    <Card title={name}>
      <p class="iri">{iri}</p>
      <ProblemBox problem={problem} again={again} />
      {value && (
        <>
          <p class="tags">
            {(value.classes ?? []).map((one) => (
              <a key={one} class="tag" href={href("knowledge", [], { class: one })} title={one}>
                {shortIri(one)}
              </a>
            ))}
          </p>
          <Neighbourhood name={name} triples={value.triples ?? []} />
          <dl class="pairs wide">
            {groups.map((group) => (
              <Group key={`${group.incoming}${group.property}`} group={group} />
            ))}
          </dl>
        </>
      )}
    </Card>
  );
}
