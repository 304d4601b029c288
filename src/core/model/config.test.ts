import { expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import { serviceNamed } from "./config.ts";

test("a service by its name, or what there is instead", () => {
  expect(serviceNamed(makeConfig(), "api").name).toBe("api");
  const check = (name: string, next: string): void => {
    expect(() => serviceNamed(makeConfig(), name)).toThrow(
      `the configuration has no service ${name}`,
    );
    expect(() => serviceNamed(makeConfig(), name)).toThrow(expect.objectContaining({ next }));
  };
  check("apo", "Did you mean api? There are: api.");
  check("warehouse", "There are: api.");
});
