#!/bin/sh
# Starts a service of compose.yaml, says when it is healthy, and removes it with its data when the gate ends.
set -eu
name=$1
compose() { docker compose --project-name "tailgate-$name" "$@"; }
down() { compose down --volumes --timeout 5; }
trap down EXIT
trap "exit 0" INT TERM
down # what a gate that was killed has left
compose up --wait "$name"
echo "$name: the gate may begin"
# Ends when the container does. A trap waits for a command, but not for `wait`.
compose wait "$name" &
wait
