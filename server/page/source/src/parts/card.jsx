// The parts that every view is made of.
import { useId, useRef } from "preact/hooks";

/** A titled section. */
export function Card({ title, level = 2, actions = null, note = null, class: own = "", children }) {
  const id = useId();
  const Heading = `h${level}`;
  return (
    <section class={`card ${own}`} aria-labelledby={id}>
      <header class="card-head">
        <Heading id={id}>{title}</Heading>
        {note && <span class="note">{note}</span>}
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** What went wrong, where, and the way out. */
export function ProblemBox({ problem, again = null }) {
  if (!problem) return null;
  const { place } = problem;
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{problem.message}</strong>
        {place?.line > 0 && (
          <span class="note">
            {" "}
            line {place.line}, column {place.column}
          </span>
        )}
      </p>
      {problem.hint && <p>{problem.hint}</p>}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

/** What is there when there is nothing. */
export const Empty = ({ children }) => <p class="empty">{children}</p>;

/** One of a few, as buttons of which one is pressed. */
export function Choice({ label, options, value, onChoose }) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([key, text]) => (
        <button key={key} type="button" aria-pressed={key === value} onClick={() => onChoose(key)}>
          {text}
        </button>
      ))}
    </div>
  );
}

/** Tabs (ARIA Authoring Practices, Tabs): arrows move between them. */
export function Tabs({ label, tabs, value, onChoose }) {
  const id = useId();
  const list = useRef(null);
  const keys = tabs.map(([key]) => key);
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const ends = { Home: 0, End: keys.length - 1 }[event.key];
    if (step === undefined && ends === undefined) return;
    event.preventDefault();
    const next = ends ?? (keys.indexOf(value) + step + keys.length) % keys.length;
    onChoose(keys[next]);
    list.current.children[next].focus();
  };
  const shown = tabs.find(([key]) => key === value) ?? tabs[0];
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(([key, text, , badge]) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            aria-selected={key === shown[0]}
            aria-controls={`${id}-panel`}
            tabIndex={key === shown[0] ? 0 : -1}
            onClick={() => onChoose(key)}
          >
            {text}
            {badge ? <span class="badge">{badge}</span> : null}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown[0]}`} tabIndex={0}>
        {shown[2]()}
      </div>
    </div>
  );
}
