// `mode: request`: somebody asks for a gate in a pull request. Who may, is answered there with what
// will be measured, which later jobs of the run are told: this one runs nothing of the pull request.
import { UserError } from "../../core/base/errors.ts";
import { serviceNamed } from "../../core/model/config.ts";
import { linkLine } from "../../core/report/kit/markdown.ts";
import { shortCommit } from "../../core/report/provenance.ts";
import { markdownText, plainLine } from "../../core/text/escape.ts";
import { type GitHub, GitHubError } from "../../github/port.ts";
import { isSameRepository } from "../inputs/parse-event.ts";
import { parseRequest, wordsOfRequest } from "../inputs/parse-request.ts";
import type { Conclusion, Job } from "../job/job.ts";
import { requireGitHub } from "../job/requirements.ts";
import { readBaseTerms } from "../publish/base-terms.ts";

export async function runRequest(job: Job): Promise<Conclusion> {
  const { event, context, runner } = job;
  const github = requireGitHub(job);
  if (!("number" in event) || event.number === null) return nothing("no pull request asks for it");
  const { number, asker } = event;
  if (asker === null) return nothing("the event does not say who asks");
  const words = event.kind === "comment" ? wordsOfRequest(event.body) : wordsOfLabel(event);
  if (words === null) return nothing("the comment is not new, or does not begin with /tailgate");
  // An app's name ends so; it could answer itself.
  if (asker.endsWith("[bot]") || !(await github.mayWrite(asker))) {
    return nothing(`${asker} may not write to ${context.repository}`);
  }
  const answer = (text: string) => github.createComment(number, text);
  try {
    const { commit, services, reference, what } = await settle(words, number, job, github);
    const headline = plainLine(`${what}, as ${asker} asked`);
    const link = linkLine([{ label: "this run", url: context.runUrl }]);
    await answer(`Tailgate measures ${markdownText(headline)}, in ${link}. A comment will tell.`);
    runner.output("commit", commit);
    runner.output("services", services.join(","));
    runner.output("reference", reference);
    return { state: "success", headline };
  } catch (thrown) {
    if (thrown instanceof UserError && !(thrown instanceof GitHubError)) {
      const { message, next = "" } = thrown;
      await answer(`Tailgate measures nothing: ${markdownText(`${message}. ${next}`)}`);
    }
    throw thrown;
  }
}

/** A label is set on what is the head by then; of a fork its author may have pushed just before. */
function wordsOfLabel(event: Parameters<typeof isSameRepository>[0] & { head: { sha: string } }) {
  return isSameRepository(event) ? ["--commit", event.head.sha] : [];
}

function nothing(why: string): Conclusion {
  return { state: "success", headline: plainLine(`nothing is measured: ${why}`) };
}

/** Every name becomes the id of what it names now. */
async function settle(words: readonly string[], number: number, { inputs }: Job, github: GitHub) {
  const { services, against, commit } = parseRequest(words);
  const { head, base } = await github.pullRequest(number);
  // The author of a fork can push at any time.
  if (commit === null ? !isSameRepository({ head, base }) : commit !== head.sha) {
    const why = `the head is ${shortCommit(head.sha)}, which may be newer than what you have looked at`;
    throw new UserError(why, { next: "Name the one that you mean: --commit and its whole id." });
  }
  // The pull request's own base is of the last push to it.
  const tip = await github.branch(base.ref);
  if (tip === null) throw new UserError(`there is no branch ${base.ref} any more`);
  const { config } = await readBaseTerms(github, { commit: tip.sha, path: inputs.config });
  for (const name of services) serviceNamed(config, name);
  const found = await github.compare(against ?? base.ref, head.sha);
  if (found === null) {
    throw new UserError(`${against ?? base.ref} is no branch, tag or commit of the same history`);
  }
  const reference = against === null ? found.mergeBase : found.base;
  if (reference === head.sha) {
    throw new UserError(`the head is ${shortCommit(reference)} itself: nothing is to compare`);
  }
  const what = `${services.join(", ") || "all services"} of commit ${shortCommit(head.sha)} against ${shortCommit(reference)} (${against ?? `where it left ${base.ref}`})`;
  return { commit: head.sha, services, reference, what };
}
