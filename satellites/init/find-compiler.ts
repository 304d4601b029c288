// What a command compiles each time that it is started, and what to build and run in its place. Pure.

export interface Compiles {
  /** What does so, as it is written. */
  by: string;
  build: string;
  run: string;
}

/** `$1` is the program's name without its ending, where the command names one. */
const COMPILERS: readonly [RegExp, { build: string; run: string }][] = [
  [/\bnext dev\b/, { build: "npx next build", run: "npx next start -p {port}" }],
  [
    /\bvite\b(?! (?:build|preview))/,
    { build: "npx vite build", run: "npx vite preview --port {port}" },
  ],
  [/\bnest start\b/, { build: "npx nest build", run: "node dist/main.js" }],
  [
    /(?<![\w.-])(?:ts-node(?:-dev)?|tsx|babel-node|nodemon|tsc|swc|webpack|(?:\w+ )?run build)(?![\w.-])(?:.*?(?:src\/)?([\w/-]+)\.[cm]?ts\b)?/,
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
    const [found, file = name] = pattern.exec(command) ?? [];
    if (found === undefined) continue;
    const named = (text: string): string => text.replace("$1", () => file);
    return { by: found, build: named(better.build), run: named(better.run) };
  }
  return null;
}
