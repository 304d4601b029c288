// Where each satellite is. Nothing else imports one, and here it is loaded when it is called.
import type { Satellites } from "../app/settings.ts";
import { messageOf, UserError } from "../core/base/errors.ts";

/** A part of the installation that is not there, or broken, is no bug of the rest. */
async function loaded<T>(part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch (error) {
    const next = "Install Tailgate anew: its dist folder must be whole.";
    throw new UserError("a part of Tailgate cannot be loaded", { detail: messageOf(error), next });
  }
}

export const satellites: Satellites = {
  init: async () => await loaded(import("../../satellites/init/init.ts")),
  export: async () => await loaded(import("../../satellites/export/formats.ts")),
  explain: async () => await loaded(import("../../satellites/explain/explain.ts")),
  pages: async () => await loaded(import("../../satellites/pages/pages.ts")),
  sheets: async () => await loaded(import("../../satellites/sheets/sheets.ts")),
  installOha: async (kernel) =>
    await (await loaded(import("../../satellites/oha/install.ts"))).installOha(kernel),
  bisect: async () => await loaded(import("../../satellites/bisect/bisect.ts")),
  completion: async () => await loaded(import("../../satellites/completion/completion.ts")),
  demo: async () => await loaded(import("../../satellites/demo/demo.ts")),
};
