/* The text: CodeMirror in a shadow root, whose styles the page's policy allows.
 *
 * The text area stays the form's field and always holds the text, so that saving works whatever happens here.
 */
import {
  EditorState, EditorView, completionKeymap, defaultKeymap, drawSelection, highlightActiveLine, highlightSpecialChars, history,
  historyKeymap, keymap, lineNumbers, lintKeymap,
} from "../vendor/codemirror/codemirror.js";
import { appearance } from "./language.js";
import { area, config, element, form, state, texts } from "./page.js";

export const host = element("div", "editor-host");
export let view = null;

/* Puts the editor in place of the text area, with what checks and completes it. */
export function openText(extensions) {
  area.before(host);
  const root = host.attachShadow({ mode: "open" });
  const keys = [{ key: "Mod-s", preventDefault: true, run: () => (form.requestSubmit(), true) }, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap];
  view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        lineNumbers(), history(), drawSelection(), highlightActiveLine(), highlightSpecialChars(), appearance, extensions,
        keymap.of(keys), EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": texts.editor, spellcheck: "false", lang: config.language }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          area.value = update.state.doc.toString();
          state.dirty = true;
        }),
      ],
    }),
  });
}

export function write(text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
