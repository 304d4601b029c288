// What every page is made of: a head that lets nothing be loaded, run or sent, and the page's own record at its end.
import { element, joined, type Markup, text, trusted } from "./element.ts";
import { STYLE } from "./style.ts";

/** Nothing may be loaded, run or sent; the style sheet is in the page. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export interface PageFacts {
  title: string;
  footer: string;
  /** Id of the element that holds `record` as JSON. */
  id: string;
  record: unknown;
}

export function renderPage({ title, footer, id, record }: PageFacts, ...content: Markup[]): string {
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { "http-equiv": "Content-Security-Policy", content: POLICY }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("meta", { name: "color-scheme", content: "light dark" }),
    element("title", {}, text(title)),
    element("style", {}, trusted(STYLE)),
  );
  const body = element(
    "body",
    {},
    ...content,
    element("footer", {}, text(footer)),
    recordElement(id, record),
  );
  return `<!doctype html>\n${element("html", { lang: "en" }, head, trusted("\n"), body)}\n`;
}

/** `<` could end the element and `&` mean something in XML; JSON has escapes for both. */
function recordElement(id: string, record: unknown): Markup {
  const json = JSON.stringify(record).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return element("script", { type: "application/json", id }, trusted(json));
}

/** Lines that a service or a tool printed. */
export function block(lines: readonly string[]): Markup {
  return element("pre", {}, joined(lines.map(text), "\n"));
}
