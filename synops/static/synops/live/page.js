/* What the server says of this page (script #live-config), and the words and formats of its language. */
import { filled } from "../words.js";

export { filled };
export const config = JSON.parse(document.getElementById("live-config").textContent);

/* How far this computer's clock is behind the server's. */
export const clockDifference = Date.parse(config.now) - Date.now();

const time = new Intl.DateTimeFormat(config.language, {
  timeZone: config.timeZone, hour: "2-digit", minute: "2-digit", second: "2-digit",
});

export function clock(moment) {
  return time.format(moment);
}

export function duration(seconds) {
  if (seconds < 10) {
    const digits = seconds < 1 ? 2 : 1;
    const text = new Intl.NumberFormat(config.language, { maximumFractionDigits: digits }).format(seconds);
    return filled(config.texts.seconds, { seconds: text });
  }
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  if (whole < 60) return filled(config.texts.seconds, { seconds: whole });
  if (minutes < 60) return filled(config.texts.minutes, { minutes, seconds: whole % 60 });
  return filled(config.texts.hours, { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

export function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}
