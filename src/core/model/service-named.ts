// Services that somebody names, by the configuration.
import { UserError } from "../base/errors.ts";
import { suggestOneOf } from "../base/nearest.ts";
import type { Config, Service } from "./config.ts";

export function serviceNamed({ services }: Pick<Config, "services">, name: string): Service {
  const found = services.find((service) => service.name === name);
  if (found !== undefined) return found;
  const known = services.map((service) => service.name);
  const next = suggestOneOf(name, known);
  throw new UserError(`the configuration has no service ${name}`, { next });
}

export function onlyServices(config: Config, names: readonly string[]): Config {
  for (const name of names) serviceNamed(config, name);
  return {
    ...config,
    services: config.services.filter(({ name }) => names.includes(name)),
    scenarios: config.scenarios.filter(({ service }) => names.includes(service)),
  };
}
