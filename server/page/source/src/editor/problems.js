// What the server says of a text, as CodeMirror underlines it.
import { warning } from "../server/warning.js";

const SUGGESTED = /did you mean '([^']+)'/;

/** A line and a column, from 1, as an offset into the document: columns count characters, offsets halves of some of them. */
function offset(doc, line, column) {
  if (!line || line < 1) return 0;
  if (line > doc.lines) return doc.length;
  const { from, text } = doc.line(line);
  return from + [...text].slice(0, Math.max((column || 1) - 1, 0)).join("").length;
}

/** The part that is put in place of what is underlined, by the hint. */
function correction(hint) {
  const suggested = SUGGESTED.exec(hint ?? "")?.[1];
  if (!suggested) return [];
  const apply = (view, from, to) => view.dispatch({ changes: { from, to, insert: suggested } });
  return [{ name: `Write ${suggested}`, apply }];
}

/** Problems and warnings of POST /check as diagnostics. */
export function diagnostics(doc, { problems = [], warnings = [] }) {
  const one = (severity) => (problem) => {
    const from = offset(doc, problem.line, problem.column);
    const to = problem.end_line ? offset(doc, problem.end_line, problem.end_column) : from + 1;
    const message = problem.hint ? `${problem.message}\n${problem.hint}` : problem.message;
    const end = Math.min(Math.max(to, from + 1), doc.length);
    return { from: Math.min(from, end), to: end, severity, message, actions: correction(problem.hint) };
  };
  return [...problems.map(one("error")), ...warnings.map(warning).filter(({ line }) => line).map(one("warning"))];
}
