/* How a recipe looks in the editor: keywords, numbers, quotations, variables, and the page's colours. */
import { EditorView, HighlightStyle, StreamLanguage, syntaxHighlighting, tags } from "../vendor/codemirror/codemirror.js";

const KEYWORDS = /^(?:NÅR|HVIS|VISS|OG|ELLER|IKKE|IKKJE|UTEN|UTAN|WHEN|IF|AND|OR|NOT|UNLESS|VED_FEIL|ved feil|on failure|on error)(?![\p{L}\p{M}])/iu;
const language = StreamLanguage.define({
  name: "recipe",
  token(stream) {
    if (stream.sol() && stream.match(/^\s*(?:#|\/\/).*/)) return "comment";
    if (stream.sol() && stream.match(/^\s*[0-9]{1,3}\s*[.)]/)) return "number";
    if (stream.match(KEYWORDS)) return "keyword";
    if (stream.match(/^["“”„«»][^"“”„«»]*["“”„«»]?/)) return "string";
    if (stream.match(/^\{[^}]*\}?/)) return "variableName";
    if (stream.match(/^--[a-z-]+/)) return "propertyName";
    if (stream.match(/^[\p{L}\p{M}\d-]+/u)) return null;
    stream.next();
    return null;
  },
});
const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: tags.string, class: "tok-string" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: tags.number, class: "tok-number" },
  { tag: tags.variableName, class: "tok-variable" },
  { tag: tags.propertyName, class: "tok-flag" },
]);
const look = EditorView.theme({
  "&": { backgroundColor: "var(--body-bg)", color: "var(--body-fg)", border: "1px solid var(--border-color)", borderRadius: "6px", fontSize: "0.9375rem" },
  "&.cm-focused": { outline: "2px solid var(--link-fg)", outlineOffset: "1px" },
  ".cm-content": { caretColor: "var(--body-fg)", minHeight: "14em", fontFamily: "ui-monospace, Menlo, Consolas, monospace" },
  ".cm-gutters": { backgroundColor: "var(--darkened-bg)", color: "var(--body-quiet-color)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--darkened-bg)" },
  ".cm-cursor": { borderLeftColor: "var(--body-fg)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--link-fg) 25%, transparent) !important" },
  ".cm-tooltip": { backgroundColor: "var(--body-bg)", color: "var(--body-fg)", border: "1px solid var(--border-color)", maxWidth: "min(32rem, 90vw)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--link-fg)", color: "var(--body-bg)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.8" },
  ".cm-diagnosticAction": { backgroundColor: "var(--button-bg)", color: "var(--button-fg)", padding: "4px 10px", font: "inherit", cursor: "pointer" },
  ".cm-diagnostic": { fontFamily: "inherit" },
  ".tok-keyword": { color: "var(--link-fg)", fontWeight: "600" },
  ".tok-number": { color: "var(--body-quiet-color)" },
  ".tok-string": { color: "var(--recipe-string)" },
  ".tok-comment": { color: "var(--body-quiet-color)", fontStyle: "italic" },
  ".tok-variable": { color: "var(--recipe-variable)" },
  ".tok-flag": { color: "var(--recipe-variable)" },
});

export const appearance = [language, syntaxHighlighting(colours), look];
