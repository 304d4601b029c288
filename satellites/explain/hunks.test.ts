import { expect, test } from "vitest";
import { changedIn, type Place, parseDiff } from "./hunks.ts";

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

const placesOf = (places: Place[] | null): string | null =>
  places?.map(({ file, from, to }) => `${file}:${from}-${to}`).join(" ") ?? null;

test("a diff is read as the lines that it wrote, file by file", () => {
  expect(placesOf(parseDiff(DIFF))).toBe(
    "src/routes/echo.rs:21-23 src/routes/echo.rs:43-44 src/routes/echo.rs:63-66 main.go:3-3 /dev/null:0-1",
  );
  expect(parseDiff("")).toEqual([]);
  // Some files end their lines so.
  const returns = DIFF.replace(/(?:gone|two)\(\);?$/gm, "$&\r@@ -9 +9 @@");
  expect(placesOf(parseDiff(returns))).toBe(placesOf(parseDiff(DIFF)));
});

test("a function was changed where lines of it were written", () => {
  const at = (file: string, from: number, to: number): Place => ({ file, from, to });
  const check = (name: string, seen: Place | null, expected: string | null) =>
    expect(placesOf(changedIn(parseDiff(DIFF), name, seen)), name).toBe(expected);

  check("axum_api::routes::echo::fingerprint", null, "src/routes/echo.rs:63-66");
  check("axum_api::routes::echo::echo", null, "src/routes/echo.rs:21-23");
  check("axum_api::routes::echo::narrow", null, "src/routes/echo.rs:43-44");
  // What was added behind a function is not in it.
  check("axum_api::routes::echo::last", null, null);
  check("example.com/shop.(*Server).audit", null, "main.go:3-3");
  check("example.com/shop.(*Server).aud", null, null);
  check("a::b", at("/build/src/routes/echo.rs", 10, 21), "src/routes/echo.rs:21-23");
  check("a::b", at("/build/src/routes/echo.rs", 24, 42), "");
  check("a::b", at("/build/src/routes/other.rs", 10, 21), "");
  check("a::b", at("/build/main.go", 3, 3), "main.go:3-3");
  check("a::fingerprint", at("/build/main.go", 90, 99), "");
  expect(changedIn(parseDiff(""), "a::b", null)).toBe(null);
});
