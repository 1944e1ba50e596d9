#!/bin/sh
# Gives a new workspace settings for a network, and becomes the daemon: one process, which gets the signals.
set -eu
[ -e "$SERVICE_WORKSPACE/agent.yaml" ] || cp /etc/memory-service/agent.yaml "$SERVICE_WORKSPACE/agent.yaml"
exec node /usr/local/lib/node_modules/memory-service/bin/daemon.js --foreground
