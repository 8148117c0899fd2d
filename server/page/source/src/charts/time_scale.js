// From moments to places on a track, and the moments that are written below it.

const MINUTE = 60_000;
const STEPS = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7200, 10080, 20160, 43200, 129600, 525600].map(
  (minutes) => minutes * MINUTE,
);
const two = (n) => String(n).padStart(2, "0");

/** @returns the share of a track, in per cent, at which a moment lies */
export function timeScale(from, to) {
  const span = Math.max(to - from, 1);
  return (time) => Math.min(Math.max(((time - from) / span) * 100, 0), 100);
}

/** So near to an end, as a share of the track, what is written below a moment would reach beyond it. */
const EDGE = 0.025;

/** A few round moments between two, on this machine's clock. */
export function ticks(from, to, most = 8) {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? STEPS.at(-1);
  const found = [];
  const edge = (to - from) * EDGE;
  // What is round on the clock: where that is put forward or back, times are no step apart.
  const shift = (time) => new Date(time).getTimezoneOffset() * MINUTE;
  const first = from + edge;
  for (let round = Math.ceil((first - shift(first)) / step) * step; ; round += step) {
    const time = round + shift(round + shift(round));
    if (time > to - edge) break;
    if (time < first || time === found.at(-1)?.time) continue;
    const at = new Date(time);
    const day = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
    const midnight = at.getHours() === 0 && at.getMinutes() === 0;
    found.push({ time, text: step >= 1440 * MINUTE || midnight ? day : `${two(at.getHours())}:${two(at.getMinutes())}` });
  }
  return found;
}
