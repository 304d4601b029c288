#!/bin/sh
# The worker of this version beside the service of this version.
node worker.mjs &
exec node api.mjs
