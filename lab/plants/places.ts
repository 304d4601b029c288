// Where plants go: files of both services, and lines in them that they stand behind.
import { create, insert, type Step } from "../edit.ts";

export const LIB = "src/lib.rs";
export const MAIN = "src/main.rs";
export const ECHO = "src/routes/echo.rs";
export const PROCESS = "src/routes/process.rs";
export const GO_MAIN = "main.go";
export const GO_ECHO = "internal/server/echo.go";
export const GO_PROCESS = "internal/server/process.go";
export const GO_METRICS = "internal/server/metrics.go";

export const IN_ECHO = "    JsonBytes(body): JsonBytes,\n) -> Result<Response, ApiError> {";
export const IN_ALL = "    let started = Instant::now();";
export const IN_GO_ECHO = "func echo(c *gin.Context) error {";
export const IN_GO_ALL = "		started := time.Now()";

/** Behind the module before it in the alphabet. */
export const rustModule = (name: string, before: string, text: string): Step[] => [
  create(`src/${name}.rs`, text),
  insert(LIB, `pub mod ${before};`, `pub mod ${name};`),
];
