/* What recipe-editor.js uses of CodeMirror, as one file that a browser can load. */
export { EditorState, Compartment, Transaction } from "@codemirror/state";
export { EditorView, keymap, lineNumbers, drawSelection, highlightActiveLine, highlightSpecialChars, hoverTooltip } from "@codemirror/view";
export { linter, lintGutter, lintKeymap, forceLinting, setDiagnostics, forEachDiagnostic } from "@codemirror/lint";
export { StreamLanguage, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
export { autocompletion, completionKeymap } from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { tags } from "@lezer/highlight";
