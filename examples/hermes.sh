#!/bin/sh
# Sets svc up as the memory of Hermes Agent. Its Python needs svc-memory: pip install ./clients/python
set -e
mkdir -p ~/.hermes/plugins/svc
echo 'from svc_memory.hermes import SvcMemoryProvider, register' >~/.hermes/plugins/svc/__init__.py
printf 'SVC_URL=%s\nSVC_API_KEY=%s\n' "${SVC_URL:-http://127.0.0.1:8787}" "$SVC_API_KEY" >>~/.hermes/.env
hermes config set memory.provider svc
