// Where each satellite is. Nothing else imports one, and here it is loaded when it is called.
import type { Satellites } from "../app/settings.ts";

export const satellites: Satellites = {
  initConfiguration: async (...given) =>
    await (await import("../../satellites/init/init.ts")).initConfiguration(...given),
  renderExport: async (...given) =>
    (await import("../../satellites/export/formats.ts")).renderExport(...given),
  renderPage: async (...given) =>
    (await import("../../satellites/pages/page.ts")).renderPage(...given),
  renderHistoryPage: async (...given) =>
    (await import("../../satellites/pages/history/page.ts")).renderHistoryPage(...given),
};
