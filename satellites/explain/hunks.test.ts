import { expect, test } from "vitest";
import { isChanged, parseDiff, type Seen } from "./hunks.ts";

const DIFF = `diff --git a/src/routes/echo.rs b/src/routes/echo.rs
index 1..2 100644
--- a/src/routes/echo.rs
+++ b/src/routes/echo.rs
@@ -20,0 +21,3 @@ pub async fn echo(body: Bytes) -> Reply {
+    let digest = fingerprint(&body);
+    count(digest);
+
@@ -40 +43,0 @@ fn narrow() {
-    gone();
@@ -60,0 +63,4 @@ fn last() {
+
+/// New.
+fn fingerprint(body: &[u8]) -> u64 {
+++ b/not/a/header.rs
diff --git a/main.go b/main.go
--- a/main.go
+++ b/main.go
@@ -3 +3 @@ func (s *Server) audit(
-	one()
+	two()
diff --git a/gone.go b/gone.go
--- a/gone.go
+++ /dev/null
@@ -1,2 +0,0 @@
-package gone
-func gone() {}
`;

test("a diff is read as the lines that it wrote, file by file", () => {
  const lines = [...parseDiff(DIFF)].map(
    ([file, hunks]) => `${file} ${hunks.map(({ from, to }) => `${from}-${to}`).join(" ")}`,
  );
  expect(lines).toEqual(["src/routes/echo.rs 21-23 43-44 63-66", "main.go 3-3", "/dev/null 0-1"]);
  expect(parseDiff("").size).toBe(0);
});

test("a function was changed where lines of it were written", () => {
  const at = (file: string, from: number, to: number): Seen => ({ file, from, to });
  const check = (name: string, seen: Seen | null, expected: boolean | null) =>
    expect(isChanged(parseDiff(DIFF), name, seen), name).toBe(expected);

  check("axum_api::routes::echo::fingerprint", null, true);
  check("axum_api::routes::echo::echo", null, true);
  check("axum_api::routes::echo::narrow", null, true);
  // What was added behind a function is not in it.
  check("axum_api::routes::echo::last", null, null);
  check("example.com/shop.(*Server).audit", null, true);
  check("example.com/shop.(*Server).aud", null, null);
  check("a::b", at("/build/src/routes/echo.rs", 10, 21), true);
  check("a::b", at("/build/src/routes/echo.rs", 24, 42), false);
  check("a::b", at("/build/src/routes/other.rs", 10, 21), false);
  check("a::b", at("/build/main.go", 3, 3), true);
  check("a::fingerprint", at("/build/main.go", 90, 99), false);
  expect(isChanged(parseDiff(""), "a::b", null)).toBe(null);
});
