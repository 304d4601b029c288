// What a runner hands to a step for itself alone. Nothing that we start has a use for it.

/** Names of the action's own inputs, its token among them, and of the job's tokens and their services. */
export const RUNNER_PRIVATE = /^(INPUT_|ACTIONS_(RUNTIME|ID_TOKEN|RESULTS|CACHE)_)/;
