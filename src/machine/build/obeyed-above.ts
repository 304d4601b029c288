// Builds run with our rights, and obey settings in folders above their own: nobody else may have put
// any there.
import { dirname, join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { strangerBehind } from "../sys/files.ts";
import { OBEYED_ABOVE } from "./inputs.ts";

/** Also of the folders above, of which everybody may write some. */
export function refuseSettingsOfOthers(folder: string): void {
  for (const path of OBEYED_ABOVE.map((name) => join(folder, name))) {
    const stranger = strangerBehind(path);
    if (stranger === null) continue;
    throw new UserError(`builds would obey ${path}, which user ${stranger} made`, {
      next: "Remove it, or set TAILGATE_CACHE to a folder elsewhere, outside the repository.",
    });
  }
  if (dirname(folder) !== folder) refuseSettingsOfOthers(dirname(folder));
}
