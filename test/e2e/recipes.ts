// The repositories of docs/examples/, each as a fresh one of its own.
import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, type TestContext } from "vitest";
import { parse, stringify } from "yaml";
import { Project } from "../support/project.ts";

const EXAMPLES = resolve(import.meta.dirname, "../../docs/examples");

interface Recipe {
  /** In docs/examples/. */
  folder: string;
  /** Programs that the machine must have, by what they are looked up as. */
  needs: readonly (keyof typeof PROGRAMS)[];
  /** A change that makes it slower. */
  planted: { file: string; from: string; to: string };
}

const PAUSE = "await new Promise((resume) => setTimeout(resume, 5));";

export const RECIPES: readonly Recipe[] = [
  {
    folder: "migrates-its-database",
    needs: ["PostgreSQL"],
    planted: {
      file: "server.mjs",
      from: '(price)",\n',
      to: '(price)",\n  "DROP INDEX products_price",\n',
    },
  },
  {
    folder: "login-first",
    needs: ["Python"],
    planted: {
      file: "server.py",
      from: "        user = USER_OF",
      to: "        __import__('time').sleep(0.005)\n        user = USER_OF",
    },
  },
  {
    folder: "unique-ids",
    needs: ["PostgreSQL"],
    planted: { file: "server.mjs", from: "  const quoted", to: `  ${PAUSE}\n  const quoted` },
  },
  {
    folder: "monorepo",
    needs: [],
    planted: { file: "services/orders/server.mjs", from: "length: 20", to: "length: 800" },
  },
  {
    folder: "fixed-port",
    needs: ["Go"],
    planted: {
      file: "main.go",
      from: 'strings.ToUpper(strings.TrimPrefix(r.URL.Path, "/shout/"))',
      to: 'strings.ToUpper(strings.Repeat("shout ", 50_000))[:5]',
    },
  },
  {
    folder: "jvm",
    needs: ["a JDK"],
    planted: { file: "Main.java", from: "primesBelow(2000)", to: "primesBelow(30000)" },
  },
  {
    folder: "container-build",
    needs: ["Docker"],
    planted: {
      file: "main.go",
      from: 'fmt.Fprint(w, "hello")',
      to: '_, _ = os.ReadDir("/proc")\n\t\tfmt.Fprint(w, "hello")',
    },
  },
  {
    folder: "compose",
    needs: ["Docker", "Docker Compose", "a machine with four CPUs"],
    planted: { file: "server.mjs", from: "  await counts(", to: `  ${PAUSE}\n  await counts(` },
  },
  {
    folder: "queue",
    needs: ["Redis"],
    planted: { file: "api.mjs", from: "  await redis(", to: `  ${PAUSE}\n  await redis(` },
  },
];

/** Each is there where its command succeeds. */
const PROGRAMS = {
  PostgreSQL: "command -v postgres || ls /usr/lib/postgresql/*/bin/postgres",
  Redis: "command -v redis-server",
  Python: "python3 --version",
  Go: "go version",
  "a JDK": "javac -version && jar --version",
  // Not the program alone: whether a daemon answers it.
  Docker: "docker info",
  "Docker Compose": "docker compose version",
  "a machine with four CPUs": 'test "$(nproc)" -ge 4',
};

export function skipWithout(needs: Recipe["needs"], context: TestContext): void {
  const missing = needs.find(
    (name) => spawnSync("sh", ["-c", PROGRAMS[name]], { stdio: "ignore" }).status !== 0,
  );
  if (missing === undefined) return;
  console.warn(`skipped: ${missing} is not to be had`);
  context.skip(`${missing} is not to be had`);
}

/** Of launches that are too few, or too short, for an answer. */
export const LAUNCHES_SHOWN = {
  rssPeak: { level: "info" },
  startup: { level: "info" },
  cpuPer1k: { level: "info" },
};

/** What a test puts beside what the example says. */
interface Changes {
  /** Of every scenario. */
  slice?: { duration: string; pairs: number };
  metrics: object;
  policy: object;
}

/** A repository whose one commit is the example. It is removed with the test. */
export function repositoryOf(
  { folder }: Recipe,
  { slice, ...changes }: Changes,
  oha: "real" | "fake" = "real",
): Project {
  const project = new Project([], { oha });
  onTestFinished(() => project.remove());
  cpSync(join(EXAMPLES, folder), project.root, { recursive: true });
  const written = parse(project.read("tailgate.yml"));
  if (slice !== undefined) {
    for (const scenario of Object.values<object>(written.scenarios)) {
      Object.assign(scenario, { slice: { ...slice } });
    }
  }
  project.write("tailgate.yml", stringify({ ...written, ...changes, compare: "base" }));
  project.commit("first");
  return project;
}

export function plant({ planted: { file, from, to } }: Recipe, project: Project): void {
  const text = project.read(file);
  expect(text.split(from)).toHaveLength(2);
  project.write(
    file,
    text.replace(from, () => to),
  );
}
