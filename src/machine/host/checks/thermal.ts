// Checks of heat: how near the machine is to slowing itself down.
import { bad, type Checks, good, type HostFiles, note } from "./check.ts";

const NEAR_C = 10;
const WARM_C = 20;

interface Sensor {
  name: string;
  celsius: number;
  /** At which the machine slows down or stops. */
  limitCelsius: number;
}

export const THERMAL_CHECKS: Checks = {
  temperature: (files) => {
    const sensors = [...thermalZones(files), ...monitors(files)];
    const [first, ...others] = sensors;
    if (first === undefined) return null;
    const margin = ({ celsius, limitCelsius }: Sensor): number => limitCelsius - celsius;
    const hottest = others.reduce((a, b) => (margin(b) < margin(a) ? b : a), first);
    const text = `${hottest.name} at ${Math.round(hottest.celsius)} °C, limit ${Math.round(hottest.limitCelsius)} °C`;
    if (margin(hottest) < NEAR_C) {
      return bad(
        `${text}: the clock drops under load, and with it every latency of the build that runs then; mend the cooling or fix the clock lower`,
      );
    }
    return margin(hottest) < WARM_C ? note(`${text}: turbo may come and go with it`) : good(text);
  },
};

/** /sys/class/thermal: the lowest trip point that slows or stops. */
function thermalZones(files: HostFiles): Sensor[] {
  const root = "/sys/class/thermal";
  return files
    .list(root)
    .filter((entry) => entry.startsWith("thermal_zone"))
    .flatMap((zone) => {
      const folder = `${root}/${zone}`;
      const trips = files
        .list(folder)
        .flatMap((entry) => /^(trip_point_\d+)_type$/.exec(entry)?.[1] ?? [])
        .filter((trip) =>
          ["passive", "hot", "critical"].includes(files.read(`${folder}/${trip}_type`) ?? ""),
        )
        .map((trip) => milli(files.read(`${folder}/${trip}_temp`)));
      return sensor(
        files.read(`${folder}/type`) ?? zone,
        milli(files.read(`${folder}/temp`)),
        trips,
      );
    });
}

/** /sys/class/hwmon: what drivers of the CPU and the board report. */
function monitors(files: HostFiles): Sensor[] {
  const root = "/sys/class/hwmon";
  return files.list(root).flatMap((monitor) => {
    const folder = `${root}/${monitor}`;
    return files
      .list(folder)
      .flatMap((entry) => /^(temp\d+)_input$/.exec(entry)?.[1] ?? [])
      .flatMap((id) => {
        const name = files.read(`${folder}/${id}_label`) ?? files.read(`${folder}/name`) ?? id;
        const limits = ["max", "crit"].map((kind) => milli(files.read(`${folder}/${id}_${kind}`)));
        return sensor(name, milli(files.read(`${folder}/${id}_input`)), limits);
      });
  });
}

/**
 * None where there is no limit to hold it against. Drivers show 0 or less for what they do not
 * know.
 */
function sensor(name: string, celsius: number, limits: readonly number[]): Sensor[] {
  const known = limits.filter((limit) => limit > 0);
  return celsius > 0 && known.length > 0
    ? [{ name, celsius, limitCelsius: Math.min(...known) }]
    : [];
}

function milli(text: string | null): number {
  return text === null ? Number.NaN : Number(text) / 1000;
}
