// Which permissions a workflow asks for, so that the fake GitHub refuses what it forgot.
import { parse } from "yaml";

interface Grants {
  jobs: Record<string, string>;
  app: Record<string, string>;
}

/**
 * What a workflow's own words give to its jobs, and to the app's token: what it does not ask for
 * GitHub refuses, here as there. act has one token for all jobs of a run.
 */
export function parseGrants(workflow: string): Grants {
  const grants: Grants = { jobs: {}, app: {} };
  const merge = (into: Record<string, string>, name: string, level: string): void => {
    const key = name.replaceAll("-", "_");
    if (into[key] !== "write") into[key] = level;
  };
  for (const job of Object.values<Job>(parse(workflow).jobs)) {
    for (const [name, level] of Object.entries(job.permissions ?? {})) {
      merge(grants.jobs, name, level);
    }
    for (const [name, level] of job.steps.flatMap((step) => Object.entries(step.with ?? {}))) {
      const permission = /^permission-(.+)$/.exec(name)?.[1];
      if (permission !== undefined) merge(grants.app, permission, level);
    }
  }
  return grants;
}

interface Job {
  permissions?: Record<string, string>;
  steps: { with?: Record<string, string> }[];
}
