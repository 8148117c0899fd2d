// Reasons as trees: clauses, the patterns of PATHs, and of each triple where it stands or what it follows from.
import { Icon } from "../parts/icon.jsx";
import { shortTerm } from "../server/terms.js";

const ORIGINS = { event: "the event", module: "file", annotation: "annotation", axiom: "axiom" };
const RULES = {
  "cax-sco": "subclass",
  "prp-dom": "domain",
  "prp-rng": "range",
  "prp-inv1": "inverse property",
  "prp-inv2": "inverse property",
  "prp-spo1": "subproperty",
  "prp-symp": "symmetric property",
  "prp-trp": "transitive property",
  "prp-spo2": "property chain",
  "eq-sym": "same individual",
  "scm-sco": "subclass",
};

function Proof({ proof }) {
  const text = proof.triple.map(shortTerm).join(" ").replace(" rdf:type ", " a ");
  const sources = (proof.sources ?? []).join(", ");
  return (
    <li class="proof">
      <span class="mono" title={proof.triple.join(" ")}>
        {text}
      </span>{" "}
      {proof.rule ? (
        <span class="note">
          follows by {RULES[proof.rule] ? `${RULES[proof.rule]} (${proof.rule})` : proof.rule}, from
        </span>
      ) : (
        <span class="source">
          {ORIGINS[proof.origin] ?? proof.origin}: {sources}
        </span>
      )}
      {proof.premises?.length > 0 && (
        <ul>
          {proof.premises.map((premise, n) => (
            <Proof key={n} proof={premise} />
          ))}
        </ul>
      )}
    </li>
  );
}

const Mark = ({ holds }) => (
  <span class={`holds ${holds ? "good" : "bad"}`}>
    <Icon name={holds ? "check" : "cross"} />
    <span class="unseen">{holds ? "holds:" : "does not hold:"}</span>
  </span>
);

function Reason({ reason, depth = 0 }) {
  const below = [...(reason.parts ?? []), ...(reason.clauses ?? [])];
  const proofs = reason.proofs ?? [];
  const line = (
    <>
      <Mark holds={reason.holds !== false} /> <span class="mono">{reason.text ?? reason.label}</span>
      {reason.note && <span class="note"> {reason.note}</span>}
    </>
  );
  if (!below.length && !proofs.length) return <li class="reason">{line}</li>;
  return (
    <li class="reason">
      <details open={depth < 2}>
        <summary>{line}</summary>
        <ul>
          {below.map((part, n) => (
            <Reason key={n} reason={part} depth={depth + 1} />
          ))}
          {proofs.map((proof, n) => (
            <Proof key={n} proof={proof} />
          ))}
        </ul>
      </details>
    </li>
  );
}

/** An event as a candidate: the variables that it can stand for, or the one for which it stands in the match. */
function Candidate({ told, events }) {
  const variable = events.find(({ id }) => id === told.event)?.variable;
  const own = told.candidacies.filter((one) => !variable || one.variable === variable);
  return (
    <section class="candidate">
      {(own.length ? own : told.candidacies).map((one) => (
        <div key={one.variable}>
          <h3>
            <span class="mono">?{one.variable}</span> <span class="note">{told.event}</span>
          </h3>
          <ul class="reasons">
            {one.clauses.map((clause, n) => (
              <Reason key={n} reason={clause} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

/** @param {{told: {reasons: object[], events: object[], contexts?: object, notes?: string[]}}} props as GET /matches/{id}/why has it */
export function Reasons({ told }) {
  const { reasons = [], events = [], contexts, notes = [] } = told;
  return (
    <>
      {reasons.map((one, n) => (
        <Candidate key={one.event ?? n} told={one} events={events} />
      ))}
      {contexts && <ContextReasons told={contexts} />}
      {notes.map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
      {!reasons.length && !contexts && !notes.length && <p class="empty">The server gives no reasons for this match.</p>}
    </>
  );
}

function ContextReasons({ told }) {
  return (
    <section class="candidate">
      {told.contexts.length > 0 && <h3>The contexts that it lies in</h3>}
      <ul class="reasons">
        {told.contexts.map((window, n) => (
          <li class="reason" key={n}>
            <Mark holds /> <span class="mono">{window.context}</span> of {window.set}{" "}
            <span class="note">
              {Object.entries(window.key ?? {}).map(([name, value]) => `${name} ${shortTerm(String(value))}`).join(", ")}{" "}
              {window.since ? `since ${window.since}` : "from the beginning"} {window.opener?.note ?? ""}
            </span>
          </li>
        ))}
        {(told.notes ?? []).map((note) => (
          <li class="note" key={note}>
            {note}
          </li>
        ))}
      </ul>
    </section>
  );
}
