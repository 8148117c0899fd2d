// The languages of the editors: χ-CEP by the grammar of `editors/`, SPARQL by CodeMirror's own.
import { StreamLanguage } from "@codemirror/language";
import { sparql as sparqlMode } from "@codemirror/legacy-modes/mode/sparql";
import grammar from "../../../../../editors/vscode/syntaxes/chi.tmLanguage.json";
import { streamParser } from "./text_mate.js";

export const chi = StreamLanguage.define(streamParser(grammar));
export const sparql = StreamLanguage.define(sparqlMode);
