import { render } from 'ink';
import type { ChecklistScreen } from './mcp-checklist-prompt.tsx';
import { ReviewCard, type ReviewCardProps, type ReviewKey } from './review-card.tsx';

/** Shows a suggestion on standard error until a key decides what to do with it. */
export function promptReview(
  card: Omit<ReviewCardProps, 'onKey' | 'color'>,
  { stdin, stderr, color }: ChecklistScreen,
): Promise<ReviewKey> {
  return new Promise((resolve) => {
    const end = (key: ReviewKey) => {
      instance.rerender(null);
      instance.clear();
      instance.unmount();
      resolve(key);
    };
    const instance = render(<ReviewCard {...card} color={color} onKey={end} />, {
      ...{ stdin, stdout: stderr, stderr },
      ...{ exitOnCtrlC: false, patchConsole: false },
    });
  });
}
