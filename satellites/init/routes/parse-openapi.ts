// An OpenAPI or Swagger description -> routes, with the values that it gives as examples. Pure.

import { listOf, parseLeniently, recordOf } from "../parse-samples.ts";
import type { Route } from "../proposal.ts";
import { exampleValue } from "./example-path.ts";

const METHODS = ["get", "post", "put", "patch", "delete"];
const MAX_ROUTES = 500;

/** Empty when the text is none. */
export function parseOpenApi(text: string, seenIn: string): Route[] {
  return routesOfDescription(parseLeniently(text), seenIn);
}

/** Empty when the value is none. */
export function routesOfDescription(value: unknown, seenIn: string): Route[] {
  const document = recordOf(value);
  if (typeof document.openapi !== "string" && typeof document.swagger !== "string") return [];
  const prefix = prefixOf(document);
  return Object.entries(recordOf(document.paths))
    .flatMap(([path, value]) => {
      const item = recordOf(value);
      return METHODS.filter((method) => item[method] !== undefined).map((method) => ({
        method: method.toUpperCase(),
        path: `${prefix}${path}`,
        seenIn,
        example:
          prefix +
          exampleOf(
            path,
            [...listOf(item.parameters), ...listOf(recordOf(item[method]).parameters)],
            document,
          ),
      }));
    })
    .slice(0, MAX_ROUTES);
}

/** `basePath` of Swagger, or the path of the first server. */
function prefixOf({ basePath, servers }: Record<string, unknown>): string {
  const [first] = listOf(servers);
  const url = recordOf(first).url;
  const path =
    typeof basePath === "string"
      ? basePath
      : typeof url === "string"
        ? url.replace(/^(?:https?:)?\/\/[^/]*/, "")
        : "";
  return /^\/[\w./-]*$/.test(path) ? path.replace(/\/+$/, "") : "";
}

function exampleOf(
  path: string,
  listed: readonly unknown[],
  document: Record<string, unknown>,
): string {
  const parameters = listed.map((one) => resolved(recordOf(one), document));
  const textFor = (name: string): string => {
    const parameter = parameters.find((one) => one.name === name);
    return encodeURIComponent(
      parameter === undefined ? exampleValue(name) : parameterValue(parameter, name),
    );
  };
  const filled = path.replace(/\{(\w+)\}/g, (_written, name: string) => textFor(name));
  const query = parameters
    .filter((one) => one.in === "query" && one.required === true && typeof one.name === "string")
    .map((one) => `${encodeURIComponent(String(one.name))}=${textFor(String(one.name))}`);
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`;
}

/** `$ref: "#/components/parameters/Id"` */
function resolved(parameter: Record<string, unknown>, document: Record<string, unknown>) {
  const reference = parameter.$ref;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return parameter;
  let value: unknown = document;
  for (const key of reference.slice(2).split("/")) value = recordOf(value)[key];
  return recordOf(value);
}

function parameterValue(parameter: Record<string, unknown>, name: string): string {
  const schema = { ...parameter, ...recordOf(parameter.schema) };
  const [named] = Object.values(recordOf(parameter.examples));
  const [choice] = listOf(schema.enum);
  const given = [
    parameter.example,
    recordOf(named).value,
    schema.example,
    listOf(schema.examples)[0],
    schema.default,
    choice,
  ].find((value) => ["string", "number", "boolean"].includes(typeof value));
  if (given !== undefined) return String(given);
  if (schema.type === "integer" || schema.type === "number") {
    return String(typeof schema.minimum === "number" ? Math.max(1, schema.minimum) : 1);
  }
  if (schema.type === "boolean") return "true";
  if (schema.format === "uuid") return exampleValue("uuid");
  if (schema.format === "date") return exampleValue("date");
  return exampleValue(name);
}
