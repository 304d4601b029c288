// application.properties or application.yml of a Spring Boot service, as far as `init` goes by it.
// Pure, and forgiving.

export interface SpringSettings {
  /** The variable in `server.port: ${PORT:8080}`; null: the usual one overrides whatever it says. */
  portVariable: string | null;
  contextPath: string | null;
  /** Whether it names a database. */
  hasDataSource: boolean;
}

export function parseSpringSettings(text: string): SpringSettings {
  // Of YAML: a key in the last part of its path, which is enough for keys as rare as these.
  const port = /(?:^server\.port\s*[=:]|^\s+port:)\s*["']?\$\{([A-Z][A-Z0-9_]*)/m.exec(text)?.[1];
  const context =
    /(?:^server\.servlet\.context-path\s*[=:]|^\s+context-path:)\s*["']?(\/[\w/.-]*)/m.exec(
      text,
    )?.[1];
  const hasDataSource =
    /^(?:spring\.)?(?:datasource|r2dbc)\.url\s*[=:]|^\s+(?:datasource|r2dbc):/m.test(text);
  return { portVariable: port ?? null, contextPath: context ?? null, hasDataSource };
}
