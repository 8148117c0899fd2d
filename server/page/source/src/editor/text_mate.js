// A TextMate grammar as a stream parser of CodeMirror: the grammar that editors use colours the page as well.
//
// It knows what our grammar has: match, begin and end, captures, include of the repository.

/** `(?i)` is a flag in JavaScript, and its quantifiers are never possessive. */
function expression(source) {
  const insensitive = source.startsWith("(?i)");
  const text = (insensitive ? source.slice(4) : source).replaceAll("\\w*+", "\\w*(?!\\w)");
  return new RegExp(text, insensitive ? "gid" : "gd");
}

/** Scopes of TextMate → names of tags of @lezer/highlight, the longest first. */
const TAGS = [
  ["comment", "comment"],
  ["keyword.operator.word", "keyword"],
  ["keyword.operator", "operator"],
  ["keyword", "keyword"],
  ["string.other.link.iri", "url"],
  ["string", "string"],
  ["constant.character", "escape"],
  ["constant.language", "bool"],
  ["constant", "number"],
  ["variable.other.property", "propertyName"],
  ["variable", "variableName"],
  ["support.function", "variableName.function"],
  ["support.type", "keyword"],
  ["entity.name.type", "typeName"],
  ["entity.name", "className"],
];

const tagOf = (scope) => TAGS.find(([start]) => scope?.startsWith(start))?.[1] ?? null;

function compiled(rule) {
  return {
    ...rule,
    start: expression(rule.match ?? rule.begin),
    stop: rule.end ? expression(rule.end) : null,
    inner: null,
  };
}

/** The rules of a list, includes resolved; compiled once. */
function rulesOf(grammar) {
  const known = new Map();
  const resolve = (patterns = []) =>
    patterns.flatMap((one) => {
      if (one.include) {
        const target = grammar.repository[one.include.slice(1)];
        return target.match || target.begin ? [once(target)] : resolve(target.patterns);
      }
      return [once(one)];
    });
  const once = (rule) => {
    if (!known.has(rule)) known.set(rule, compiled(rule));
    return known.get(rule);
  };
  return { top: resolve(grammar.patterns), inside: (rule) => (rule.inner ??= resolve(rule.patterns)) };
}

function found(regex, line, at) {
  regex.lastIndex = at;
  return regex.exec(line);
}

/** What comes first on the line from `at` on: the end of the innermost block, or a rule. */
function next(line, at, rules, block) {
  let best = block ? { match: found(block.stop, line, at), rule: null } : { match: null, rule: null };
  for (const rule of rules) {
    const match = found(rule.start, line, at);
    if (match && (!best.match || match.index < best.match.index)) best = { match, rule };
  }
  return best;
}

/** The coloured parts of a match: [end, tag]. */
function parts(match, scope, captures) {
  if (!captures) return [[match.index + match[0].length, tagOf(scope)]];
  const found = [];
  let at = match.index;
  for (const [group, { name }] of Object.entries(captures)) {
    const span = match.indices[group];
    if (!span || span[0] < at) continue;
    if (span[0] > at) found.push([span[0], tagOf(scope)]);
    found.push([span[1], tagOf(name)]);
    at = span[1];
  }
  const end = match.index + match[0].length;
  return at < end ? [...found, [end, tagOf(scope)]] : found;
}

/**
 * @param {object} grammar as a .tmLanguage.json file has it
 * @returns a specification for `StreamLanguage.define`
 */
export function streamParser(grammar) {
  const { top, inside } = rulesOf(grammar);
  const step = (stream, state) => {
    const block = state.blocks.at(-1);
    const { match, rule } = next(stream.string, stream.pos, block ? inside(block) : top, block);
    if (!match) return (stream.skipToEnd(), tagOf(block?.name));
    if (match.index > stream.pos) return ((stream.pos = match.index), tagOf(block?.name));
    if (rule === null) {
      state.blocks.pop();
      state.parts = parts(match, block.name, block.endCaptures);
    } else {
      if (rule.stop) state.blocks.push(rule);
      state.parts = parts(match, rule.name, rule.stop ? rule.beginCaptures : rule.captures);
    }
    return undefined;
  };
  return {
    name: grammar.name,
    startState: () => ({ blocks: [], parts: [] }),
    copyState: ({ blocks, parts: rest }) => ({ blocks: [...blocks], parts: [...rest] }),
    token(stream, state) {
      if (stream.sol() && state.blocks.at(-1)?.end.endsWith("|$")) state.blocks.pop();
      for (let turn = 0; turn < 20; turn += 1) {
        const part = state.parts.shift();
        if (part) {
          if (part[0] <= stream.pos) continue;
          stream.pos = part[0];
          return part[1];
        }
        if (stream.eol()) return null;
        const before = stream.pos;
        const tag = step(stream, state);
        if (stream.pos > before) return tag;
      }
      return (stream.next(), null);
    },
    languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "{", "[", '"', "'"] } },
  };
}
