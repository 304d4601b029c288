#!/bin/sh
# Printed by tailgate doctor --fix. Nothing was changed: read it, take out what you do not want, then run it.
# Settings last until the next start of the machine.
# CPUs: service 2-3, load generator 0-1

# Nothing to fix.
