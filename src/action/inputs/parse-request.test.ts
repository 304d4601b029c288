import { expect, test } from "vitest";
import { UserError } from "../../core/base/errors.ts";
import { parseRequest, wordsOfRequest } from "./parse-request.ts";

const ID = "9f1c2d3e4a5b6c7d8e9f0a1b2c3d4e5f60718293";

test.each<[string, string, Partial<ReturnType<typeof parseRequest>>]>([
  ["the word alone", "/tailgate", {}],
  ["one service", "/tailgate api", { services: ["api"] }],
  ["several", "/tailgate  api\tweb ", { services: ["api", "web"] }],
  ["a branch", "/tailgate --against release/1.4", { against: "release/1.4" }],
  [
    "a branch of a bot",
    "/tailgate --against npm/@types/node-2#3",
    { against: "npm/@types/node-2#3" },
  ],
  ["a commit", `/tailgate --commit ${ID} api`, { services: ["api"], commit: ID }],
  ["what stands below", "/tailgate api\r\n--against main\n/tailgate web", { services: ["api"] }],
])("%s is read", (_, body, expected) => {
  const request = parseRequest(wordsOfRequest(body) ?? ["none"]);
  expect(request).toEqual({ services: [], against: null, commit: null, ...expected });
});

test.each([
  ["nothing", ""],
  ["a quotation", "> /tailgate api"],
  ["code", "    /tailgate api"],
  ["a fenced block", "```\n/tailgate api\n```"],
  ["a sentence", "Write /tailgate api"],
  ["a later line", "Slower?\n/tailgate api"],
  ["a list", "- /tailgate"],
  ["another command", "/tailgates api"],
  ["a path", "/tailgate/api"],
  ["other letters", "/Tailgate"],
  ["a comment in HTML", "<!-- /tailgate -->"],
])("%s is no request", (_, body) => {
  expect(wordsOfRequest(body)).toBeNull();
});

test.each([
  ["an unknown option", "--upload-pack=touch"],
  ["a short option", "-f"],
  ["an option as the ref", "--against --exec=x"],
  ["no ref", "--against"],
  ["a range", "--against main..v1"],
  ["a fork's branch", "--against mallory:main"],
  ["an expression of git's", "--against HEAD~1"],
  ["a way out of the folder", "--against a/../../b"],
  ["a shell's word", "--against $(id)"],
  ["a short commit", "--commit 9f1c2d3"],
  ["a commit in other letters", `--commit ${ID.toUpperCase()}`],
  ["an option of JavaScript's", "--constructor x"],
])("%s is refused, with what to write", (_, words) => {
  const parse = () => parseRequest(words.split(" "));
  expect(parse).toThrow(UserError);
  expect(parse).toThrow(expect.objectContaining({ next: expect.stringContaining("[--against ") }));
});
