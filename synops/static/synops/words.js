/* Sentences of the server's language, with their values put in: "%(count)s new". */
export function filled(template, values) {
  return template.replace(/%\((\w+)\)s/g, (_, name) => values[name] ?? "");
}
