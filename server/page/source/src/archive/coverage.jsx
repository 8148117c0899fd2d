// What the archive covers of each stream, and where it has gaps.
import { Bands } from "../charts/bands.jsx";
import { Card, Empty, ProblemBox } from "../parts/card.jsx";
import { bytes, clock, moment, number } from "../server/terms.js";
import { useAnswer } from "../server/use_answer.js";

const OFTEN_MS = 15_000;

/** The bands of a stream: what is covered, and the gaps between. */
export function coverage({ covered = [], gaps = [], from, to }) {
  const whole = covered.length || !from ? covered : [[from, to]];
  return [
    ...whole.map(([begin, end]) => ({ from: begin, to: end, text: "events", kind: "covered" })),
    ...gaps.map(([begin, end, why]) => ({ from: begin, to: end, text: why || "a gap", kind: "gap" })),
  ];
}

export function Coverage() {
  const { value, problem, again } = useAnswer("/archive", OFTEN_MS);
  const streams = (value?.streams ?? []).filter((one) => one.from || one.covered?.length);
  const starts = streams.map((one) => moment(one.from ?? one.covered[0][0]));
  const ends = streams.map((one) => moment(one.to ?? one.covered.at(-1)[1]));
  const gaps = streams.reduce((sum, one) => sum + (one.gaps?.length ?? 0), 0);
  const note = value?.from && `${number(value.events)} events in ${bytes(value.bytes ?? 0)}, ${clock(value.from, { seconds: false, date: true })} to ${clock(value.to, { seconds: false, date: true })}`;
  return (
    <Card title="What is covered" note={note}>
      <ProblemBox problem={problem} again={again} />
      {value && !streams.length && <Empty>The archive is empty: it fills as soon as the engine has read events.</Empty>}
      {streams.length > 0 && (
        <Bands
          label="What the archive covers"
          rows={streams.map((one) => ({ name: `${one.name} (${number(one.events)})`, bands: coverage(one) }))}
          from={Math.min(...starts)}
          to={Math.max(...ends)}
          legend={[["covered", "events"], ...(gaps ? [["gap", "a gap"]] : [])]}
        />
      )}
    </Card>
  );
}
