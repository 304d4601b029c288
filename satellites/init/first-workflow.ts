// A first workflow, as docs/examples/ shows it: a test holds both to the same text. Pure.
import type { Runner } from "../../src/core/model/try.ts";

const SMALLEST = `
# The smallest gate, for a repository that takes no pull requests from forks: whoever opens one runs code on your machine. One job
# measures, comments and is the check. The report with its curves is among the run's artifacts.`;
const SHARED = `
# A gate on GitHub's own machines. They are shared, so that a run may end without an answer: that is told, and fails nothing
# unless the estimate lies beyond its margin.`;
const RESUMES = `
      actions: read # a re-run goes on where the attempt before ended`;
const GATE = `
      - id: gate
        uses: tailgate/tailgate@d85e261a497b3a61b2f487d6ecc883ef4b16d819 # v0.1.0`;
const PATIENT_GATE = `
      - id: gate
        uses: tailgate/tailgate@d85e261a497b3a61b2f487d6ecc883ef4b16d819 # v0.1.0
        with: { inconclusive: pass, time-budget: 30m, comment: on-change }
      - if: \${{ !cancelled() && steps.gate.outputs.artifact != '' }} # a re-run goes on with it
        uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0
        with: { name: tailgate, path: "\${{ steps.gate.outputs.artifact }}", retention-days: 14 }`;

export function firstWorkflow(runner: Runner): string {
  const isHosted = runner === "hosted";
  return `${(isHosted ? SHARED : SMALLEST).trimStart()}
name: perf-gate
on: pull_request
permissions: {}
concurrency: { group: "perf-\${{ github.event.pull_request.number }}", cancel-in-progress: true }
jobs:
  gate:
    name: Perf gate
    runs-on: ${isHosted ? "ubuntu-24.04" : "[self-hosted, linux]"}
    timeout-minutes: 60
    permissions:
      contents: read # check out
      pull-requests: write # the comment${isHosted ? RESUMES : ""}
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with: { fetch-depth: 0, persist-credentials: false }${isHosted ? PATIENT_GATE : GATE}
      - if: \${{ !cancelled() && steps.gate.outputs.reports != '' }}
        uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0
        with: { name: tailgate-report, path: "\${{ steps.gate.outputs.reports }}/report.html" }
`;
}
