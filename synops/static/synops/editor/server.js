/* Asks the compiler; an answer that does not come is an Unanswered with a sentence for the person. */
import { config, form, texts } from "./page.js";

export class Unanswered extends Error {}

export async function ask(question, body) {
  let response;
  try {
    response = await fetch(config.urls[question], {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
      body: JSON.stringify({ language: config.language, ...body }),
      redirect: "manual",
    });
  } catch {
    throw new Unanswered(texts.away);
  }
  if (response.type === "opaqueredirect" || response.status === 403) throw new Unanswered(texts.signed_out);
  const answer = await response.json().catch(() => null);
  if (answer === null) throw new Unanswered(texts.away);
  if (!response.ok) throw new Unanswered(answer.error ?? texts.away);
  return answer;
}
