#!/bin/sh
# A memory, and a prompt with what is remembered before it, for any program that reads one: `sh shell.sh | llm`.
set -e
svc add "Ada prefers oolong tea, never coffee after four" --tag taste >/dev/null
svc context "${1:-What should I pour for Ada?}" --with-prompt
