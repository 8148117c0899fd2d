// An editor. It lives in a shadow root, where CodeMirror's styles need no <style> that the page's policy would refuse.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { vocabulary } from "../server/vocabulary.js";
import { completeChi, completeSparql } from "./completion.js";
import { chi, sparql } from "./languages.js";
import { look } from "./look.js";
import { diagnostics } from "./problems.js";

const LANGUAGES = { chi: [chi, completeChi], sparql: [sparql, completeSparql] };

function extensions({ language, label, hint, onChange, onRun }) {
  const [syntax, complete] = LANGUAGES[language];
  const run = { key: "Mod-Enter", run: () => (onRun.current?.(), true) };
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    EditorView.lineWrapping,
    syntax,
    autocompletion({ override: [complete], icons: true, maxRenderedOptions: 60 }),
    keymap.of([run, ...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off", tabindex: "0" }),
    EditorView.updateListener.of((update) => update.docChanged && onChange.current(update.state.doc.toString())),
    placeholder(hint),
    look,
  ];
}

/**
 * @param {{text: string, revision?: number, language: "chi" | "sparql", label: string, hint?: string,
 *          checked?: object | null, onChange: (text: string) => void, onRun?: () => void}} props `revision`: changes when
 *          the text is another one that nobody has typed here; `checked`: what POST /check said of the text
 */
export function Editor({ text, revision = 0, language, label, hint = "", checked = null, onChange, onRun }) {
  const host = useRef(null);
  const view = useRef(null);
  const change = useRef(onChange);
  const run = useRef(onRun);
  change.current = onChange;
  run.current = onRun;
  useEffect(() => {
    vocabulary(); // which takes a moment, and is wanted with the first letter
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const state = EditorState.create({
      doc: text,
      extensions: extensions({ language, label, hint, onChange: change, onRun: run }),
    });
    view.current = new EditorView({ state, root, parent: root });
    return () => view.current.destroy();
  }, []);
  useEffect(() => {
    const now = view.current.state.doc.toString();
    if (now !== text) view.current.dispatch({ changes: { from: 0, to: now.length, insert: text } });
  }, [revision]);
  useEffect(() => {
    if (!checked || checked.of !== view.current.state.doc.toString()) return;
    view.current.dispatch(setDiagnostics(view.current.state, diagnostics(view.current.state.doc, checked)));
  }, [checked]);
  return <div class="editor" ref={host} data-language={language} />;
}
