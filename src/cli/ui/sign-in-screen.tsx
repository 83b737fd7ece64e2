import { Box, Text } from 'ink';
import { wrap } from '../memory/terminal-text.ts';
import { formatCountdown } from '../number-format.ts';
import { ColoredText } from './colored-text.tsx';
import { TextField } from './text-field.tsx';

export interface SignInScreenProps {
  email: string;
  url: string;
  phase: 'sending' | 'waiting' | 'checking' | 'over';
  notice?: { tone: 'good' | 'bad'; text: string } | undefined;
  /** Until the link expires. */
  leftMs: number;
  columns: number;
  color: boolean;
  onTyped(text: string): void;
  onCancel(): void;
}

const ADVICE =
  'Open it, here or on your phone, and press “Sign in”. On this computer the terminal then goes on by itself; otherwise type the code that the page shows.';

/** The one wait of a sign-in: the browser of this machine hands the code over, or it is typed here. */
export function SignInScreen(props: SignInScreenProps) {
  const { email, url, phase, notice, leftMs, columns, color, onTyped, onCancel } = props;
  return (
    <Box flexDirection="column" width={columns}>
      <Text>
        A sign-in link is on its way to <Text bold={color}>{email}</Text>
      </Text>
      <Text dimColor={color}>for {url}</Text>
      <Box marginTop={1}>
        <Text>{wrap(ADVICE, columns).join('\n')}</Text>
      </Box>
      <Box marginY={1} flexDirection="column">
        <TextField label="Code" placeholder="XXXX-XXXX" color={color} onSubmit={onTyped} onCancel={onCancel} />
        {notice === undefined ? null : (
          <ColoredText tone={notice.tone} color={color}>
            {wrap(`${notice.tone === 'good' ? '✓' : '✗'} ${notice.text}`, columns).join('\n')}
          </ColoredText>
        )}
      </Box>
      <Text>{statusOf(phase, leftMs)}</Text>
      <Text dimColor={color}>r Enter: another link · Ctrl-C: stop</Text>
    </Box>
  );
}

function statusOf(phase: SignInScreenProps['phase'], leftMs: number): string {
  if (phase === 'sending') return 'Asking for a link …';
  if (phase === 'checking') return 'Checking the code …';
  if (phase === 'over') return 'Over. Another link starts again.';
  if (leftMs > 0) return `Waiting. The link works for ${formatCountdown(leftMs)} more.`;
  return 'The link has expired; a code that the page shows may still work.';
}
