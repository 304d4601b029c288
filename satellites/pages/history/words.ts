// How the page writes a day, a commit, and the commits of a change.

export function dayOf(time: string): string {
  return time.slice(0, 10);
}

export function shortCommit(commit: string): string {
  return commit.slice(0, 10);
}

export function rangeOf({ after, by }: { after: string; by: string }): string {
  return `${shortCommit(after)}..${shortCommit(by)}`;
}
