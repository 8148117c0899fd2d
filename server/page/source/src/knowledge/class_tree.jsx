// The classes as a tree, opened level by level (ARIA Authoring Practices, Disclosure).
import { useState } from "preact/hooks";
import { Card, Empty, ProblemBox } from "../parts/card.jsx";
import { Icon } from "../parts/icon.jsx";
import { href } from "../router.js";
import { number, shortIri } from "../server/terms.js";
import { useAnswer } from "../server/use_answer.js";
import { knowledge } from "../server/vocabulary.js";

const nameOf = ({ iri, prefixed, label }) => label || (prefixed?.startsWith("<") ? null : prefixed) || shortIri(iri);

/** Those that have individuals first, then by the names that are read. */
export const inOrder = (classes) =>
  [...classes].sort(
    (a, b) => (b.individuals > 0) - (a.individuals > 0) || nameOf(a).localeCompare(nameOf(b), "en", { numeric: true }),
  );

/** By IRI what tells classes of the same name apart. */
function apart(classes) {
  const alike = classes.filter((one) => classes.some((other) => other !== one && nameOf(other) === nameOf(one)));
  return new Map(alike.map(({ iri, prefixed }) => [iri, prefixed || `<${iri}>`]));
}

function Branch({ node, chosen, detail }) {
  const [open, setOpen] = useState(false);
  const { iri, individuals, subclasses } = node;
  const name = nameOf(node);
  return (
    <li>
      <div class="tree-row">
        {subclasses ? (
          <button type="button" class="quiet icon" aria-expanded={open} aria-label={`Subclasses of ${name}`} onClick={() => setOpen(!open)}>
            <Icon name="chevron" />
          </button>
        ) : (
          <span class="tree-leaf" aria-hidden="true" />
        )}
        <a href={href("knowledge", [], { class: iri })} title={iri} aria-current={iri === chosen ? "true" : undefined}>
          {name}
          {detail && <span class="note"> {detail}</span>}
        </a>
        <span class={`number ${individuals ? "" : "none"}`} aria-label={`${individuals} individuals`}>
          {number(individuals ?? 0)}
        </span>
      </div>
      {open && <Level parent={iri} chosen={chosen} />}
    </li>
  );
}

function Level({ parent, chosen }) {
  const { value, problem, again } = useAnswer(parent ? `/classes?parent=${encodeURIComponent(parent)}` : "/classes", 0, knowledge.value);
  const classes = Array.isArray(value) ? value : (value?.classes ?? []);
  const details = apart(classes);
  return (
    <>
      <ProblemBox problem={problem} again={again} />
      {!value && !problem && <Empty>Classes are being counted …</Empty>}
      {value && !classes.length && <Empty>The project knows no classes: add modules under [knowledge].</Empty>}
      <ul class="tree">
        {inOrder(classes).map((node) => (
          <Branch key={node.iri} node={node} chosen={chosen} detail={details.get(node.iri)} />
        ))}
      </ul>
    </>
  );
}

export const ClassTree = ({ chosen }) => (
  <Card title="Classes" note="with their individuals">
    <Level parent="" chosen={chosen} />
  </Card>
);
