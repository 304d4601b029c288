// What a command compiles or watches each time that it is started, and what to build and run in its
// place. Pure.

export interface Compiles {
  /** What does so, as it is written. */
  by: string;
  /** Null: it only watches its files. */
  build: string | null;
  run: string;
}

/** `$1` is the program's name without its ending, where the command names one. */
const COMPILERS: readonly [RegExp, Omit<Compiles, "by">][] = [
  [/\bnext dev\b/, { build: "npx next build", run: "npx next start -p {port}" }],
  [
    /\bvite\b(?!-| (?:build|preview))/,
    { build: "npx vite build", run: "npx vite preview --port {port}" },
  ],
  [/\bnest start\b/, { build: "npx nest build", run: "node dist/main.js" }],
  [
    /(?<![\w.-]|\b(?:tsc|build)\b.*)nodemon (?!.*(?:--exec|-x |\bts-node|\btsc\b|\bbuild\b)).*?([\w./-]+\.[cm]?js)\b.*/,
    { build: null, run: "node $1" },
  ],
  [
    /(?<![\w.-])(?:ts-node(?:-dev)?|tsx|vite-node|babel-node|nodemon|tsc|swc|webpack|(?:\w+ )?run build)(?![\w.-])(?:.*?(?:src\/)?([\w/-]+)\.[cm]?ts\b)?/,
    { build: "npx tsc", run: "node dist/$1.js" },
  ],
  [/\bcargo run\b/, { build: "cargo build --release", run: "target/release/$1" }],
  [/\bgo run\b/, { build: "go build -o bin/$1 .", run: "bin/$1" }],
  [/\bspring-boot:run\b/, { build: "mvn -DskipTests package", run: "java -jar target/$1.jar" }],
  [/\bbootRun\b/, { build: "gradle bootJar", run: "java -jar build/libs/$1.jar" }],
];

/** Null: nothing is seen to. */
export function compilesIn(command: string, name: string): Compiles | null {
  for (const [pattern, better] of COMPILERS) {
    // Longer than any that a person wrote, and short enough for patterns that look around.
    const [found, file = name] = pattern.exec(command.slice(0, 1000)) ?? [];
    if (found === undefined) continue;
    const named = (words: string): string => words.replace("$1", () => file);
    return { by: found, build: better.build && named(better.build), run: named(better.run) };
  }
  return null;
}
