// How a query is answered, as a picture: what flows into what, from the streams above down to the rows.
import { shortIri } from "../server/terms.js";

const readable = (text) => (text ?? "").replace(/<([^<>\s]+)>/g, (_, iri) => shortIri(iri));

/** A step has steps before it; what has none is a line of its step. */
const isStep = ({ children }) => children?.length > 0;

/** The steps before a step; one that says nothing of its own only hands them on. */
const stepsOf = (node) =>
  (node.children ?? []).filter(isStep).flatMap((one) => (!one.text && one.children.every(isStep) ? stepsOf(one) : [one]));

function Lines({ nodes }) {
  return (
    <dl>
      {nodes.map(({ label, text }, n) => (
        <div key={n}>
          {label && <dt>{readable(label)}</dt>}
          {text && <dd>{readable(text)}</dd>}
        </div>
      ))}
    </dl>
  );
}

function Step({ node }) {
  const steps = stepsOf(node);
  const lines = (node.children ?? []).filter((one) => !isStep(one));
  return (
    <div class="plan-branch">
      {steps.length > 0 && (
        <ul class="plan-inputs">
          {steps.map((step, n) => (
            <li key={n}>
              <Step node={step} />
            </li>
          ))}
        </ul>
      )}
      <div class="plan-step">
        <p class="plan-title">
          <strong>{readable(node.label)}</strong>
          {node.text && ` ${readable(node.text)}`}
        </p>
        {lines.length > 0 && <Lines nodes={lines} />}
      </div>
    </div>
  );
}

/** @param {{plan: object | object[]}} props trees of {label, text, children} */
export const PlanPicture = ({ plan }) => (
  <div class="plan" tabIndex={0} role="region" aria-label="How the query is answered: each step below what it reads">
    {[].concat(plan.plans ?? plan).map((node, n) => (
      <Step key={n} node={node} />
    ))}
  </div>
);
