import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { MACHINES, mainManifest, ohaManifest } from "./manifests.ts";

const ours = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8"));

test("ours is not published as it is", () => {
  expect(ours.private).toBe(true);
  expect(() => mainManifest({ name: "tailgate", version: "0.1.0" })).toThrow(
    "package.json has no description",
  );
});

test("what npm is told", () => {
  const told = { ...ours, version: "1.2.3" };
  const manifests = MACHINES.map((machine) => ohaManifest(told, machine, "1.16.0"));
  expect([mainManifest(told), ...manifests]).toMatchSnapshot();
});
