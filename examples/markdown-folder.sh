#!/bin/sh
# A folder of notes and the memories of svc, kept equal both ways. Without --once it goes on watching.
set -e
notes=${1:-notes}
mkdir -p "$notes"
echo 'Ada prefers oolong tea' >"$notes/Tea.md"
svc sync "$notes" --once
svc list
