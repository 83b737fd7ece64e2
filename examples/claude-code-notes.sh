#!/bin/sh
# What Claude Code notes about the project in this folder, kept in svc and equal on all machines where this runs.
# Each machine needs svc, signed in, and its own copy of the project.
set -e
svc sync --native claude-code --once
svc list --tag claude-code
