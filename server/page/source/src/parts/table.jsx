// Rows as a table that may be wider than its place.
import { href } from "../router.js";
import { isEvent, isIri, shown } from "../server/terms.js";

/** The columns of rows: their time, then the `asked` ones as the query has them; of what kaicep adds to rows no more is shown. */
export function rowColumns(rows, asked = []) {
  const names = new Set(rows.slice(0, 20).flatMap((row) => Object.keys(row)));
  const items = [...new Set([...asked, ...names])].filter((name) => names.has(name) && !name.startsWith("_"));
  return names.has("_time") ? ["_time", ...items] : items;
}

const isNumber = (rows, column) => rows.some((row) => typeof row[column] === "number");

export const Value = ({ value }) =>
  isIri(value) && !isEvent(value) ? (
    <a href={href("knowledge", [], { iri: value })} title={value}>
      {shown(value)}
    </a>
  ) : (
    <span title={typeof value === "string" ? value : undefined}>{shown(value)}</span>
  );

/**
 * @param {{caption: string, columns: string[], rows: object[], more?: (row: object) => any, most?: number,
 *          fresh?: Set<string>}} props `more`: a last cell for each row; `fresh`: ids of rows that have just come
 */
export function Table({ caption, columns, rows, more = null, most = 500, fresh = null }) {
  const numeric = new Set(columns.filter((column) => isNumber(rows, column)));
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" class={numeric.has(column) ? "number" : undefined}>
                {column === "_time" ? "time" : column}
              </th>
            ))}
            {more && (
              <th scope="col">
                <span class="unseen">more</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map((row, n) => (
            <tr key={row._id ?? n} class={fresh?.has(row._id) ? "fresh" : undefined}>
              {columns.map((column) => (
                <td key={column} class={numeric.has(column) ? "number" : undefined}>
                  <Value value={row[column]} />
                </td>
              ))}
              {more && <td class="more">{more(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most && <p class="note">{rows.length - most} more rows are not shown.</p>}
    </div>
  );
}
