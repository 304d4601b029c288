// What `init` says once its files are there. Pure.

export function whatNext(files: readonly { path: string }[], foundNothing: boolean): string {
  const also = files.slice(1).map(({ path }) => `; ${path} gates once that works`);
  if (foundNothing)
    return `nothing that listens was found: write into ${files[0]?.path} what starts it, then: tailgate try${also.join("")}`;
  return `wrote ${files.map(({ path }) => path).join(" and ")}: look at each line that has a comment, then
  tailgate try --build    # builds and starts each service once, and sends it each request
  tailgate plan    # says what a gate would do, and how long it would take
  tailgate gate --reference HEAD --measure-unchanged    # once it is committed: measures it against itself; expect PASS`;
}
