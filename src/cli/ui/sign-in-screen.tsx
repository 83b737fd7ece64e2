import { Box, Text } from 'ink';
import { wrap } from '../memory/terminal-text.ts';
import { formatCountdown } from '../number-format.ts';
import { SIGN_IN_INSTRUCTIONS } from '../sign-in/prompts.ts';
import { ColoredText } from './colored-text.tsx';
import { TextField } from './text-field.tsx';

export interface SignInScreenProps {
  email: string;
  url: string;
  phase: 'sending' | 'waiting' | 'checking' | 'over';
  notice?: { tone: 'good' | 'bad'; text: string } | undefined;
  /** Time until the link expires. */
  leftMs: number;
  columns: number;
  color: boolean;
  onTyped(text: string): void;
  onCancel(): void;
}

/** Waits for the code: either the browser on this computer sends it, or it is typed here. */
export function SignInScreen(props: SignInScreenProps) {
  const { email, url, phase, notice, leftMs, columns, color, onTyped, onCancel } = props;
  return (
    <Box flexDirection="column" width={columns}>
      <Text>
        A sign-in link is on its way to <Text bold={color}>{email}</Text>
      </Text>
      <Text dimColor={color}>for {url}</Text>
      <Box marginTop={1}>
        <Text>{wrap(SIGN_IN_INSTRUCTIONS, columns).join('\n')}</Text>
      </Box>
      <Box marginY={1} flexDirection="column">
        <TextField label="Code" placeholder="XXXX-XXXX" color={color} onSubmit={onTyped} onCancel={onCancel} />
        {notice === undefined ? null : (
          <ColoredText tone={notice.tone} color={color}>
            {wrap(`${notice.tone === 'good' ? '✓' : '✗'} ${notice.text}`, columns).join('\n')}
          </ColoredText>
        )}
      </Box>
      <Text>{statusLine(phase, leftMs)}</Text>
      <Text dimColor={color}>r Enter: new link · Ctrl-C: cancel</Text>
    </Box>
  );
}

function statusLine(phase: SignInScreenProps['phase'], leftMs: number): string {
  if (phase === 'sending') return 'Requesting a link …';
  if (phase === 'checking') return 'Checking the code …';
  if (phase === 'over') return 'Request a new link to continue.';
  if (leftMs > 0) return `Waiting. The link expires in ${formatCountdown(leftMs)}.`;
  return 'The link has expired; a code already shown on the page may still work.';
}
