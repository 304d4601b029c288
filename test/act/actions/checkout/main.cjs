// With every branch, and every pull request's head, which GitHub gives out by its id alone.
const { execFileSync } = require("node:child_process");

const git = (...args) =>
  execFileSync("git", args, { cwd: process.env.GITHUB_WORKSPACE, stdio: "inherit" });

git("init", "--quiet");
git("remote", "add", "origin", process.env.TAILGATE_TEST_REMOTE);
git(
  "fetch",
  "--quiet",
  "origin",
  "+refs/heads/*:refs/remotes/origin/*",
  "+refs/pull/*:refs/pull/*",
);
git("checkout", "--quiet", "--detach", process.env.INPUT_REF);
