// Spring Boot applications that Maven or Gradle packs into a jar -> programs. Pure.

import { baseOf, folderOf, joined, nearestFile, ownPaths, wayUp } from "../paths.ts";
import { PLAIN_PROGRAM, type Program } from "../proposal.ts";
import type { Tree } from "../tree.ts";
import { type JavaBuildFacts, parseGradle, parsePom } from "./parse-manifest.ts";

/** The likeliest first. */
const BUILD_FILES = ["pom.xml", "build.gradle", "build.gradle.kts"];
const EMBEDDED = ["h2", "hsqldb", "derby"];
const DRIVERS = ["postgresql", "mysql-connector-j", "mysql-connector-java", "mariadb-java-client"];

export function detectJava(tree: Tree): Program[] {
  const files = tree.paths.filter((path) => BUILD_FILES.includes(baseOf(path)));
  // Two builds of one folder make the same program.
  const builds = files.filter((path) => path === buildFileOf(folderOf(path), files));
  return builds.flatMap((path) => {
    const dir = folderOf(path);
    const all = tree.paths.filter((one) => /\.(?:java|kt)$/.test(one));
    const sources = ownPaths(all, dir, builds.map(folderOf));
    const isApplication = sources.some((one) => /@SpringBootApplication\b/.test(tree.read(one)));
    return isApplication ? [programOf(tree, path, sources)] : [];
  });
}

function buildFileOf(dir: string, files: readonly string[]): string | undefined {
  return BUILD_FILES.map((name) => joined(dir, name) ?? name).find((path) => files.includes(path));
}

function programOf(tree: Tree, path: string, sources: readonly string[]): Program {
  const dir = folderOf(path);
  const isMaven = baseOf(path) === "pom.xml";
  const facts = isMaven
    ? parsePom(tree.read(path))
    : parseGradle(tree.read(path), settingsOf(tree, dir));
  const name = facts.name ?? (dir === "." ? "app" : baseOf(dir));
  const settings =
    ["application.properties", "application.yml", "application.yaml"]
      .map((file) => joined(dir, `src/main/resources/${file}`) ?? file)
      .find((file) => tree.paths.includes(file)) ?? "";
  const { portVariable, contextPath, hasDataSource } = parseSpringSettings(tree.read(settings));
  return {
    ...PLAIN_PROGRAM,
    language: "java",
    name,
    dir,
    home: dir,
    framework: "spring-boot",
    build: isMaven
      ? `${wrapper(tree, dir, "mvnw", "mvn")} -B -q -DskipTests package`
      : `${wrapper(tree, dir, "gradlew", "gradle")} --no-daemon bootJar`,
    artifact: `${isMaven ? "target" : "build/libs"}/${jarOf(name, facts)}.jar`,
    run: "java -jar {artifact}",
    packages: hasDataSource ? facts.packages : withoutSpareDrivers(facts.packages),
    sources,
    frameworkPort: {
      kind: "variable",
      name: portVariable ?? "SERVER_PORT",
      form: "port",
      seenIn: portVariable === null ? null : settings,
    },
    prefix: contextPath ?? "",
  };
}

/** Without an address Spring starts the database that it has in itself; profiles choose the others. */
function withoutSpareDrivers(packages: readonly string[]): readonly string[] {
  if (!packages.some((name) => EMBEDDED.includes(name))) return packages;
  return packages.filter((name) => !DRIVERS.includes(name));
}

function settingsOf(tree: Tree, dir: string): string {
  const own = ["settings.gradle", "settings.gradle.kts"].map((name) => joined(dir, name) ?? name);
  return tree.read(own.find((path) => tree.paths.includes(path)) ?? "");
}

function jarOf(name: string, { finalName, version }: JavaBuildFacts): string {
  return finalName ?? (version === null ? name : `${name}-${version}`);
}

/** The wrapper that the project brings, else the tool on PATH. */
function wrapper(tree: Tree, dir: string, script: string, tool: string): string {
  const found = nearestFile(new Set(tree.paths), dir, [script]);
  return found === null ? tool : `${wayUp(dir, folderOf(found))}/${script}`;
}

interface SpringSettings {
  /** The variable in `server.port: ${PORT:8080}`; null: the usual one overrides whatever it says. */
  portVariable: string | null;
  contextPath: string | null;
  /** Whether it names a database. */
  hasDataSource: boolean;
}

/** application.properties or application.yml, as far as `init` goes by it; forgiving. */
function parseSpringSettings(text: string): SpringSettings {
  // Of YAML: a key in the last part of its path, which is enough for keys as rare as these.
  const port = /(?:^server\.port\s*[=:]|^\s+port:)\s*["']?\$\{([A-Z][A-Z0-9_]*)/m.exec(text)?.[1];
  const context =
    /(?:^server\.servlet\.context-path\s*[=:]|^\s+context-path:)\s*["']?(\/[\w/.-]*)/m.exec(
      text,
    )?.[1];
  const hasDataSource =
    /^(?:spring\.)?(?:datasource|r2dbc)\.url\s*[=:]|^\s+(?:datasource|r2dbc):/m.test(text);
  return { portVariable: port ?? null, contextPath: context ?? null, hasDataSource };
}
