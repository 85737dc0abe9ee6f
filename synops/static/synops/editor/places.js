/* Places come as line and UTF-16 column: CodeMirror joins lines with one character, forms with two. */

function offset(doc, place) {
  const line = doc.line(Math.min(Math.max(place.line, 1), doc.lines));
  return Math.min(line.from + place.col16, line.to);
}

export function range(doc, span) {
  const from = offset(doc, span.start);
  const to = Math.max(offset(doc, span.end), from);
  if (from < to) return { from, to };
  return { from: Math.max(from - 1, doc.lineAt(from).from), to: from };
}

export function changes(doc, edits) {
  return edits.map((edit) => ({ from: offset(doc, edit.range.start), to: offset(doc, edit.range.end), insert: edit.text }));
}
