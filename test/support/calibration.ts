// Profiles of runners for tests of what is said about them.
import { profileOf } from "../../src/core/calibration/profile.ts";
import type { Profile } from "../../src/core/model/profile.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import { makeSamples, type SamplesRecipe } from "./samples.ts";

/** Rounds of one commit against itself. */
export function identicalArms(recipe: Partial<SamplesRecipe> = {}): Samples {
  const samples = makeSamples({ rounds: 16, noise: 0.05, ...recipe });
  return {
    ...samples,
    sources: { ...samples.sources, reference: { ...samples.sources.candidate, label: "same" } },
  };
}

export function makeProfile(recipe: Partial<SamplesRecipe> = {}): Profile {
  return profileOf(identicalArms(recipe), { seed: 1, trials: 60 });
}
