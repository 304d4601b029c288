// What is learned once of a machine: stored values, its noise, what would make it quieter.
import { UserError } from "../../core/base/errors.ts";
import { command, historyFolder, json, MEASURING, projectOf, services } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { aSwitch, count, text } from "../flags.ts";
import { print, show } from "../output.ts";

export const baseline = command({
  summary: "record, update or show the stored baselines of this class of runner",
  positionals: "record | update | show",
  flags: {
    services,
    from: text("from", "<samples.v1.json>", "take the values from this file instead of measuring"),
    historyFolder,
    ...MEASURING,
  },
  idle: {
    with: {
      from: ["services", "seed", "timeBudgetMs", "out", "lockTimeoutMs"],
      show: ["from", "seed", "timeBudgetMs", "out", "lockTimeoutMs"],
    },
  },
  examples: {
    "tailgate baseline record": "measure the last commit and write its baselines",
    "tailgate baseline update --from .tailgate/samples.v1.json":
      "accept the values of a run that passed",
  },
  async run({ flags: { from, ...options }, positionals: [verb] }, environment) {
    const { recordBaselines, showBaselines } = await import("../../app/baseline/record.ts");
    if (verb !== "show" && verb !== "record" && verb !== "update") {
      const problem = verb === undefined ? "what to do is missing" : `unknown: ${verb}`;
      throw new UserError(`tailgate baseline: ${problem}`, {
        next: "One of: tailgate baseline record, tailgate baseline update, tailgate baseline show.",
      });
    }
    const project = await projectOf(options, environment);
    const { baselines, text: says } =
      verb === "show"
        ? await showBaselines(project, environment)
        : await recordBaselines({ from, mode: verb }, project, environment);
    show(options, baselines, () => says);
    return 0;
  },
});

export const calibrate = command({
  summary: "the smallest change that this machine can detect, from rounds of identical programs",
  flags: {
    rounds: count("rounds", "of identical builds for every service (default: 16)", 8, 500),
    from: text(
      "from",
      "<samples.v1.json>",
      "calibrate from recorded rounds of one commit against itself",
    ),
    services,
    ...MEASURING,
  },
  idle: { with: { from: ["rounds", "config", "services", "timeBudgetMs", "lockTimeoutMs"] } },
  examples: {
    "tailgate calibrate":
      "measure, and keep the profile beside the baselines, where gate and plan find it",
    "tailgate calibrate --from .tailgate/samples.v1.json":
      "from rounds that were recorded with --reference HEAD --measure-unchanged",
  },
  async run({ flags }, environment) {
    const { calibrate, calibrateFrom, DEFAULT_ROUNDS } = await import(
      "../../app/calibration/calibrate.ts"
    );
    const { unkept } = await import("../../core/model/profile.ts");
    const { renderCalibration } = await environment.satellites.sheets();
    const { from, seed, out, rounds } = flags;
    const { profile, files } =
      from === null
        ? await calibrate(
            rounds ?? DEFAULT_ROUNDS,
            await projectOf(flags, environment),
            environment,
          )
        : calibrateFrom({ samples: from, seed, out }, environment);
    show(flags, profile, (options) => renderCalibration(profile, options), files);
    return unkept(profile).length === 0 ? 0 : EXIT.undecided;
  },
});

export const doctor = command({
  summary: "check this machine for what makes measurements noisy, and say what helps",
  flags: {
    samples: text(
      "samples",
      "<samples.v1.json>",
      "what disturbed this run, and what would help most",
    ),
    fix: aSwitch("fix", "print the commands as a script; runs none of them"),
    json,
  },
  idle: { with: { json: ["fix"] } },
  examples: {
    "tailgate doctor": "each finding with the command that mends it",
    "tailgate doctor --fix > quieter.sh": "to read, and to run as you see fit",
    "tailgate doctor --samples .tailgate/samples.v1.json": "why that run was noisy",
  },
  async run({ flags }, environment) {
    const { examineHost } = await import("../../app/doctor.ts");
    const { renderDoctor, renderFixScript } = await environment.satellites.sheets();
    const { samples, fix } = flags;
    const found = await examineHost(samples, environment);
    show(flags, found, (options) => (fix ? renderFixScript(found) : renderDoctor(found, options)));
    return 0;
  },
});

export const setup = command({
  summary: "find the load generator, or install it once",
  flags: {},
  examples: {
    "tailgate setup": "so that the first gate need not wait",
  },
  async run(_, environment) {
    const { setUp } = await import("../../app/setup.ts");
    print(await setUp(environment));
    return 0;
  },
});
