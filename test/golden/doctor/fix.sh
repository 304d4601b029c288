#!/bin/sh
# Printed by tailgate doctor --fix. Nothing was changed: read it, take out what you do not want, then run it.
# Settings last until the next start of the machine.
# CPUs: service 2-3, load generator 0-1

# governor: governor powersave: the clock follows the load with a delay, so the first requests of a measurement run slower
# seen in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor: powersave (8 files)
echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor

# open-files: 1024 open files allowed: a scenario with many connections fails
# by hand: ulimit -n 65536

# others-now: other programs use 25 % of a core now (apt 20 %, cron 5 %): what they take, a request waits for
# by hand: top -o %CPU
