// What was: what the archive covers, and SPARQL over all of it.
import { Coverage } from "./coverage.jsx";
import { Sparql } from "./sparql.jsx";

export const Archive = () => (
  <div class="archive">
    <h1 class="unseen">Archive</h1>
    <Coverage />
    <Sparql />
  </div>
);
