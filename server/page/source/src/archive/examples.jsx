// Questions to begin with: the matches of each query, whose names in RDF nobody guesses.
import { useAnswer } from "../server/use_answer.js";

/** @returns the newest matches of a query as SPARQL; `day` is that of the newest event, such as 2026-06-01 */
export function matchesOf({ label, columns }, day) {
  const names = columns.filter((name) => !name.startsWith("_"));
  const items = names.map((name) => `  OPTIONAL { ?match kaicep:attribute:${label}:${name} ?${name} }\n`);
  return `# Matches of ${label}, the newest first
SELECT ?found ${names.map((name) => `?${name}`).join(" ")}
WHERE {
  ?match prov:wasGeneratedBy/prov:used/rdfs:label "${label}" ; prov:generatedAtTime ?found .
${items.join("")}  # FILTER (?found >= "${day}T00:00:00Z"^^xsd:dateTime) # those of a day alone
}
ORDER BY DESC(?found)
LIMIT 100
`;
}

/** @param {{first: string, onChoose: (text: string) => void}} props `first`: the question that stands there at first */
export function Examples({ first, onChoose }) {
  const queries = useAnswer("/queries").value ?? [];
  const day = (useAnswer("/archive").value?.to ?? new Date().toISOString()).slice(0, 10);
  const named = queries.filter(({ kind, named: own, columns }) => kind === "query" && own !== false && columns?.length);
  const choose = (event) => {
    const chosen = event.target.value;
    event.target.value = "";
    onChoose(chosen === "classes" ? first : matchesOf(named[Number(chosen)], day));
  };
  return (
    <label class="select">
      <span class="unseen">Start from an example</span>
      <select onChange={choose} value="">
        <option value="">Examples …</option>
        <option value="classes">Of which classes there is how much</option>
        {named.map(({ label }, n) => (
          <option key={label} value={n}>
            Matches of {label}
          </option>
        ))}
      </select>
    </label>
  );
}
