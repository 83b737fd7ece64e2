/** Speaks systemctl's command line for one unit: records each call, and keeps the unit's state in files. */
export const SYSTEMCTL = `#!/bin/sh
echo "$*" >> "$FAKE/calls"
[ "$1" = --user ] && shift
case "$1 $2" in
  --version*) echo "systemd 255 (255.4)" ;;
  "show --property=Version") [ -e "$FAKE/no-bus" ] && { echo "Failed to connect to bus: No medium found" >&2; exit 1; }
    echo Version=255 ;;
  "show svc.service")
    if [ -e "$UNIT" ]; then echo LoadState=loaded; echo "FragmentPath=\${PACKAGED:-$UNIT}"; else echo LoadState=not-found; fi
    if [ -e "$FAKE/crashing" ]; then echo ActiveState=activating; echo "MainPID=$$"
    elif [ -e "$FAKE/active" ]; then echo ActiveState=active; echo MainPID=4242; else echo "ActiveState=$(cat "$FAKE/inactive")"; fi ;;
  "restart svc.service") [ -e "$FAKE/crashing" ] && exit 0
    [ -e "$FAKE/broken" ] && { echo failed > "$FAKE/inactive"; exit 0; }
    [ -e "$FAKE/enabled" ] && [ -e "$UNIT" ] && touch "$FAKE/active" ;;
  "enable svc.service") touch "$FAKE/enabled" ;;
  "stop svc.service") rm -f "$FAKE/active"
    if [ -e "$FAKE/stop-canceled" ]; then echo "Job for svc.service canceled." >&2; exit 1; fi ;;
  "disable --now") rm -f "$FAKE/enabled" "$FAKE/active" ;;
  daemon-reload*|"reset-failed svc.service") ;;
  *) echo "unknown: $*" >&2; exit 1 ;;
esac
`;
