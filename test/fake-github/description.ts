// GitHub's official OpenAPI description as the judge of every request and answer, and as the source
// of the many fields that nobody here looks at.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Document, OpenAPIBackend, type Request } from "openapi-backend";

/** A schema, as far as the filling of fields reads it. */
interface Schema {
  type?: string;
  nullable?: boolean;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  format?: string;
}

const NULL: Schema = { enum: [null] };

/** Read once in a process: compiling the schemas is most of the cost. */
export const description = await load();

async function load() {
  const file = join(import.meta.dirname, "fixtures/openapi.json");
  const definition = withNulls(JSON.parse(readFileSync(file, "utf8"))) as Document;
  const anyText = { validate: () => true };
  const api = new OpenAPIBackend({
    definition,
    quick: true,
    ajvOpts: {
      strict: false,
      logger: false,
      allErrors: false,
      formats: {
        "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
        uri: /^https?:\/\//,
        "uri-template": anyText,
        email: anyText,
        int64: { type: "number", validate: Number.isInteger },
        "repo.nwo": anyText,
        "alphanumeric-with-underscores": anyText,
      },
    },
  });
  await api.init();
  const { router, validator } = api;
  const operations = new Map(router.getOperations().map((one) => [one.operationId ?? "", one]));
  const operationOf = (id: string) => {
    const found = operations.get(id);
    if (found === undefined) throw new Error(`no operation ${id} in the description`);
    return found;
  };
  const words = (of: string, result: ReturnType<typeof validator.validateRequest>): string[] =>
    (result.errors ?? []).map(({ instancePath, message }) => `${of} ${instancePath}: ${message}`);
  const schemaOf = (id: string, status: number): Schema | null => {
    const response = operationOf(id).responses?.[String(status)];
    const content = (response as { content?: Record<string, { schema?: Schema }> }).content;
    return content?.["application/json"]?.schema ?? null;
  };

  return {
    /** What is wrong with a request, in words. `path` has the template's values escaped. */
    requestProblems: (id: string, request: Request): string[] =>
      words("request", validator.validateRequest(request, operationOf(id))),
    /** What is wrong with an answer. */
    answerProblems(id: string, status: number, body: unknown): string[] {
      if (operationOf(id).responses?.[String(status)] === undefined) {
        return [`answer: HTTP ${status} is not described`];
      }
      return words("answer", validator.validateResponse(body, operationOf(id), status));
    },
    /** The answer, and every required field that `known` leaves out, with an empty value. */
    fill(id: string, status: number, known: unknown): unknown {
      const schema = schemaOf(id, status);
      return schema === null ? known : filled(schema, known);
    },
  };
}

/**
 * GitHub writes `nullable` beside `anyOf` as well, where it says nothing about the type that the
 * validator wants to know: null becomes one of the choices.
 */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withNulls(item)]),
  );
  if (copy.nullable !== true || copy.type !== undefined) return copy;
  const { nullable, ...rest } = copy;
  return { anyOf: [rest, NULL] };
}

function mayBeNull(schema: Schema): boolean {
  return schema.nullable === true || schema.enum?.[0] === null;
}

function filled(schema: Schema, known: unknown): unknown {
  if (known === null) return null;
  if (known === undefined && schema.nullable === true) return null;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    if (known === undefined && choices.some(mayBeNull)) return null;
    const kind = Array.isArray(known) ? "array" : typeof known;
    const choice = choices.find((one) => one.type === kind) ?? choices[0];
    if (known !== undefined && kind !== "object" && kind !== "array") return known;
    return choice === undefined ? known : filled(choice, known);
  }
  if (schema.allOf !== undefined) {
    return schema.allOf.reduce((value: unknown, part) => filled(part, value), known);
  }
  if (Array.isArray(known)) return known.map((item) => filled(schema.items ?? {}, item));
  if (schema.properties !== undefined || typeof known === "object") {
    const given = (known ?? {}) as Record<string, unknown>;
    const names = new Set([...Object.keys(given), ...(schema.required ?? [])]);
    return Object.fromEntries(
      [...names].map((name) => [name, filled(schema.properties?.[name] ?? {}, given[name])]),
    );
  }
  return known === undefined ? empty(schema) : known;
}

function empty(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === "integer" || schema.type === "number") return 0;
  if (schema.type === "boolean") return false;
  if (schema.type === "array") return [];
  if (schema.type === "object") return {};
  if (schema.format === "date-time") return "2026-01-01T00:00:00Z";
  if (schema.format === "uri") return "https://github.invalid/";
  return "";
}
