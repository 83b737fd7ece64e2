#!/bin/sh
# An OpenClaw agent that remembers a person, for an OpenClaw that has a model. Sets the plugin up and asks a question.
# npm install -g openclaw
set -e
openclaw plugins install @svc-memory/client --force --accept-capabilities
openclaw config set plugins.entries.svc-memory.hooks.allowConversationAccess true
openclaw agent --local --agent main --message "${1:-Which tea should I bring?}"
