// How a query is answered, as a picture: what flows into what, from the streams above down to the rows.
import { readable } from "../server/terms.js";

/** What has parts, and no more to say itself than its name, is a step; all else is told in lines of its step. */
const isStep = ({ label, text, children }) => children?.length > 0 && !(label && text);
const linesOf = (node) => (node.children ?? []).filter((one) => !isStep(one)).flatMap((one) => [one, ...linesOf(one)]);

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
  const lines = linesOf(node);
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
          <strong>{readable(node.label || node.text)}</strong>
          {node.label && node.text && ` ${readable(node.text)}`}
        </p>
        {lines.length > 0 && <Lines nodes={lines} />}
      </div>
    </div>
  );
}

/** @param {{plan: object}} props a tree of {label, text, children}; a document has one for each query */
export const PlanPicture = ({ plan }) => (
  <div class="plan" tabIndex={0} role="region" aria-label="How the query is answered: each step below what it reads">
    {(plan.label === "document" ? plan.children : [plan]).map((node, n) => (
      <Step key={n} node={node} />
    ))}
  </div>
);
