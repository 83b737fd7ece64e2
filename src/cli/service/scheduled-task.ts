import { escapeXml } from './launchd-plist.ts';

/** A task of Windows' Task Scheduler. All paths are absolute. */
export interface ScheduledTask {
  /** `DOMAIN\name`. */
  user: string;
  /** The program and its arguments. */
  command: readonly string[];
  workingFolder: string;
}

/**
 * Renders a task that starts when its user logs on, and again a minute after a failure. conhost without a window runs
 * the program: a console window would open otherwise.
 */
export function renderScheduledTask({ user, command, workingFolder }: ScheduledTask): string {
  const words = ['--headless', ...command].map(quoteWord).join(' ');
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>svc, persistent memory for AI assistants</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>${escapeXml(user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${escapeXml(user)}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>999</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>conhost.exe</Command>
      <Arguments>${escapeXml(words)}</Arguments>
      <WorkingDirectory>${escapeXml(workingFolder)}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`;
}

/** Quotes a word as the C runtime of Windows parses it. */
function quoteWord(word: string): string {
  if (word !== '' && !/[\s"]/.test(word)) return word;
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`;
}
