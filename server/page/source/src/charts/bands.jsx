// What holds when, as bands over time: contexts of each partition, what the archive covers.
import { clock, moment } from "../server/terms.js";
import { ticks, timeScale } from "./time_scale.js";

const NARROW = 7;

const begun = ({ from }) => (from === null ? "before" : clock(from));

function Band({ band, scale, end }) {
  const from = band.from === null ? 0 : scale(moment(band.from));
  const width = Math.max(scale(band.to === null ? end : moment(band.to)) - from, 0.3);
  const until = band.to === null ? "open" : clock(band.to);
  return (
    <div
      class={`band ${band.kind ?? ""}`}
      style={{ left: `${from}%`, width: `${width}%` }}
      title={`${band.text}\n${begun(band)} – ${until}`}
    >
      {width > NARROW && <span>{band.text}</span>}
    </div>
  );
}

/**
 * @param {{label: string, rows: {name: string, bands: {from: any, to: any, text: string, kind?: string}[]}[],
 *          from: number, to: number, legend?: [string, string][]}} props times in milliseconds; of a band `null`, where
 *          it has begun before, or is open
 */
export function Bands({ label, rows, from, to, legend = [] }) {
  const scale = timeScale(from, to);
  return (
    <figure class="bands">
      {legend.length > 0 && (
        <ul class="band-legend" aria-hidden="true">
          {legend.map(([kind, text]) => (
            <li key={text}>
              <span class={`band ${kind}`} />
              {text}
            </li>
          ))}
        </ul>
      )}
      <div class="band-rows" aria-hidden="true">
        {rows.map(({ name, bands }) => (
          <div class="band-row" key={name}>
            <div class="band-name" title={name}>
              {name}
            </div>
            <div class="track">
              {bands.map((band, n) => (
                <Band key={n} band={band} scale={scale} end={to} />
              ))}
            </div>
          </div>
        ))}
        <div class="band-row">
          <div class="band-name" />
          <div class="track axis">
            {ticks(from, to).map(({ time, text }) => (
              <span key={time} style={{ left: `${scale(time)}%` }}>
                {text}
              </span>
            ))}
          </div>
        </div>
      </div>
      <details class="as-table">
        <summary>{label} as a table</summary>
        <div class="table-box" tabIndex={0} role="region" aria-label={label}>
          <table>
            <thead>
              <tr>
                {["of", "what", "from", "to"].map((text) => (
                  <th key={text} scope="col">
                    {text}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.flatMap(({ name, bands }) =>
                bands.map((band, n) => (
                  <tr key={`${name}${n}`}>
                    <td>{name}</td>
                    <td>{band.text}</td>
                    <td>{begun(band)}</td>
                    <td>{band.to === null ? "open" : clock(band.to)}</td>
                  </tr>
                )),
              )}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
