// Which of several programs is likely to be the one that serves, by name alone. Pure.

const SERVING = /api|http|serv|svc|web|daemon/i;

export function likeliestServer(names: readonly string[]): string | undefined {
  return names.find((name) => SERVING.test(name)) ?? names[0];
}
