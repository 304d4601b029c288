// By day properties are tried on the same cases in every run, so that a change is judged by what it
// changes; by night on new ones.
import fc from "fast-check";

if (process.env.TAILGATE_NIGHT !== "1") {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });
}
