// How the text would be answered, drawn anew when it is right and has changed.
import { useEffect, useState } from "preact/hooks";
import { Empty, ProblemBox } from "../parts/card.jsx";
import { PlanPicture } from "../parts/plan_picture.jsx";
import { post } from "../server/requests.js";

export function Explanation({ text, valid }) {
  const [state, setState] = useState({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!valid) return undefined;
    const stop = new AbortController();
    post("/explain?form=json", text, { signal: stop.signal }).then(
      (plan) => setState({ plan }),
      (problem) => stop.signal.aborted || setState({ problem }),
    );
    return () => stop.abort();
  }, [text, valid, turn]);
  if (!valid && !state.plan) return <p class="empty">The plan is drawn as soon as the query has no errors.</p>;
  return (
    <>
      {valid && !state.plan && !state.problem && <Empty>The plan is being drawn …</Empty>}
      {!valid && <p class="note">As it was before the error.</p>}
      <ProblemBox problem={state.problem} again={() => setTurn((n) => n + 1)} />
      {state.plan && <PlanPicture plan={state.plan} />}
    </>
  );
}
