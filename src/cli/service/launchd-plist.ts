/** A launchd agent. All paths are absolute. */
export interface LaunchdAgent {
  label: string;
  /** The program and its arguments. */
  command: readonly string[];
  workingFolder: string;
  environment?: Readonly<Record<string, string>>;
  /** Receives the output of the daemon before it has opened its own log file. */
  errorFile: string;
}

/**
 * Renders the property list. launchd starts the agent at login, and again, at most every 10 seconds, unless it ended with
 * exit code 0.
 */
export function renderLaunchdPlist({
  label,
  command,
  workingFolder,
  environment = {},
  errorFile,
}: LaunchdAgent): string {
  const variables = Object.entries(environment).flatMap(([name, value]) => [
    `    <key>${escapeXml(name)}</key>`,
    `    <string>${escapeXml(value)}</string>`,
  ]);
  const withVariables =
    variables.length === 0 ? '' : `  <key>EnvironmentVariables</key>\n  <dict>\n${variables.join('\n')}\n  </dict>\n`;
  const words = command.map((word) => `    <string>${escapeXml(word)}</string>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${escapeXml(label)}</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>WorkingDirectory</key>
  <string>${escapeXml(workingFolder)}</string>
${withVariables}  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>35</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>${escapeXml(errorFile)}</string>
</dict>
</plist>
`;
}

/** Escapes text for XML. Throws for control characters, which XML cannot contain. */
export function escapeXml(text: string): string {
  if (/[\u0000-\u001f]/.test(text)) throw new Error(`${JSON.stringify(text)} contains a control character.`);
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
