// Markup from values, always escaped. No other file writes a tag.
import { htmlText } from "../../src/core/text/escape.ts";

export type Markup = string & { readonly brand: unique symbol };

export type Attributes = Readonly<Record<string, string | number | undefined>>;

const VOID_ELEMENTS = new Set(["meta", "br", "hr"]);

export function element(name: string, attributes: Attributes, ...children: Markup[]): Markup {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        ` ${key}="${typeof value === "number" ? rounded(value) : htmlText(value ?? "")}"`,
    )
    .join("");
  if (VOID_ELEMENTS.has(name)) return `<${name}${written}>` as Markup;
  return `<${name}${written}>${children.join("")}</${name}>` as Markup;
}

export function text(content: string): Markup {
  return htmlText(content) as Markup;
}

/** For constants of ours that hold no foreign text, such as the style sheet. */
export function trusted(content: string): Markup {
  return content as Markup;
}

export function joined(parts: readonly Markup[], separator = ""): Markup {
  return parts.join(separator) as Markup;
}

/** Coordinates need no more than a tenth of a pixel: smaller pages, stable golden files. */
export function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
