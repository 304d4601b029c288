const { appendFileSync } = require("node:fs");

const { TAILGATE_TEST_APP_TOKEN: token, GITHUB_OUTPUT: output } = process.env;
if ((token ?? "") === "") {
  console.log("::error::the test gave the app no token");
  process.exit(1);
}
appendFileSync(output, `token=${token}\napp-slug=tailgate-test\n`);
