// How editors look: the colours are those of the page, which it has as custom properties.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colour = (name) => `var(--code-${name})`;

const highlight = HighlightStyle.define([
  { tag: tags.comment, color: colour("comment"), fontStyle: "italic" },
  { tag: [tags.keyword, tags.bool], color: colour("keyword"), fontWeight: "600" },
  { tag: [tags.string, tags.url, tags.special(tags.string)], color: colour("string") },
  { tag: [tags.number, tags.escape, tags.literal], color: colour("number") },
  { tag: [tags.variableName, tags.atom], color: colour("variable"), whiteSpace: "nowrap" },
  { tag: tags.propertyName, color: colour("property") },
  { tag: [tags.className, tags.typeName, tags.tagName], color: colour("class") },
  { tag: [tags.function(tags.variableName), tags.standard(tags.variableName)], color: colour("function") },
  { tag: tags.operator, color: colour("operator") },
]);

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "14px", height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { caretColor: "var(--accent)", padding: "10px 0" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "none", paddingLeft: "6px" },
  ".cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--hover)", color: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--selection)", color: "inherit" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--line-strong)",
    borderRadius: "8px",
    boxShadow: "var(--shadow)",
    overflow: "hidden",
    maxWidth: "min(32rem, 92vw)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "13px", maxHeight: "16rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "4px 10px", display: "flex", gap: "8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal", fontFamily: "var(--sans)", marginLeft: "auto" },
  ".cm-completionIcon": { opacity: "1", width: "1.1em", paddingRight: "0" },
  ".cm-tooltip.cm-completionInfo": { padding: "8px 12px", fontSize: "13px", lineHeight: "1.45" },
  ".cm-diagnostic": { padding: "8px 12px", fontSize: "14px", borderLeft: "3px solid var(--bad)", whiteSpace: "normal" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-diagnosticText": { whiteSpace: "pre-wrap" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad) 1.5px", textUnderlineOffset: "4px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn) 1.5px", textUnderlineOffset: "4px" },
  ".cm-diagnosticAction": { backgroundColor: "var(--accent)", color: "var(--on-accent)", borderRadius: "5px", padding: "2px 8px", font: "inherit", marginLeft: "8px", cursor: "pointer" },
});

export const look = [theme, syntaxHighlighting(highlight)];
