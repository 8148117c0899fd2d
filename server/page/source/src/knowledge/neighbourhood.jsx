// The individuals around one, drawn: who speaks of it on the left, of whom it speaks on the right.
import { href } from "../router.js";
import { isIri, shortIri } from "../server/terms.js";

const MOST = 8;
const ROW = 46;
const WIDTH = 760;
const BOX = 210;

const clipped = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function neighbours(triples, incoming) {
  const found = triples.filter((one) => Boolean(one.incoming) === incoming && isIri(one.value));
  return { shown: found.slice(0, MOST), more: Math.max(found.length - MOST, 0) };
}

function Side({ side, incoming, middle, height }) {
  const count = side.shown.length + (side.more ? 1 : 0);
  const top = (height - count * ROW) / 2;
  const x = incoming ? 0 : WIDTH - BOX;
  const near = incoming ? BOX : WIDTH - BOX;
  const own = incoming ? (WIDTH - BOX) / 2 : (WIDTH + BOX) / 2;
  return (
    <g>
      {side.shown.map(({ value, label, property }, n) => {
        const y = top + n * ROW + ROW / 2;
        const bend = (near + own) / 2;
        const name = label || shortIri(value);
        return (
          <g key={`${property}${value}`}>
            <path class="edge" d={`M${near} ${y}C${bend} ${y} ${bend} ${middle} ${own} ${middle}`} />
            <a href={href("knowledge", [], { iri: value })} aria-label={`${name}, by ${shortIri(property)}`}>
              <title>{value}</title>
              <rect x={x + 1} y={y - 17} width={BOX - 2} height={34} rx={8} />
              <text class="property" x={x + 12} y={y - 4}>
                {clipped(incoming ? `${shortIri(property)} →` : `→ ${shortIri(property)}`, 34)}
              </text>
              <text x={x + 12} y={y + 11}>
                {clipped(name, 28)}
              </text>
            </a>
          </g>
        );
      })}
      {side.more > 0 && (
        <text class="property" x={x + 12} y={top + side.shown.length * ROW + ROW / 2}>
          and {side.more} more, below
        </text>
      )}
    </g>
  );
}

export function Neighbourhood({ name, triples }) {
  const before = neighbours(triples, true);
  const after = neighbours(triples, false);
  const rows = Math.max(before.shown.length + (before.more ? 1 : 0), after.shown.length + (after.more ? 1 : 0), 1);
  if (!before.shown.length && !after.shown.length) return null;
  const height = rows * ROW + 12;
  return (
    <div class="neighbourhood" tabIndex={0} role="region" aria-label={`The neighbours of ${name}`}>
      <svg viewBox={`0 0 ${WIDTH} ${height}`}>
        <Side side={before} incoming middle={height / 2} height={height} />
        <Side side={after} incoming={false} middle={height / 2} height={height} />
        <rect class="self" x={(WIDTH - BOX) / 2} y={height / 2 - 20} width={BOX} height={40} rx={10} />
        <text class="self" x={WIDTH / 2} y={height / 2 + 5} text-anchor="middle">
          {clipped(name, 26)}
        </text>
      </svg>
    </div>
  );
}
