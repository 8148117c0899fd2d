// Warnings of a text, which the server tells as the command line does: with place and caret.

const SHOWN = /^[^\n]*?:(\d+):(\d+): (.*)\n.*\n *\| *(\^+) ?(.*)$/;

/** A warning, which is text as the command line shows it, by its parts; one that shows no place is its message alone. */
export function warning(shown) {
  const [, line, column, message, carets, hint] = SHOWN.exec(shown) ?? [];
  if (!line) return { message: shown };
  return { message, hint, line: +line, column: +column, end_line: +line, end_column: +column + carets.length };
}
