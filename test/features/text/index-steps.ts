import fc from 'fast-check';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { type Caller, instant, type MemoryDaemon } from '../memories/memory-daemon.ts';

const text = fc.array(fc.constantFrom('kayak', 'boats', 'sailing', '茶会', 'on', 'May 3rd'), {
  minLength: 1,
  maxLength: 8,
});
const content = text.map((words) => words.join(' '));
const user = fc.constantFrom('ann', 'bob');
const which = fc.nat(5);

/** Everything that changes an index, by name. */
export const indexStep = fc.oneof(
  fc.record({ kind: fc.constant('add'), user, content, which }),
  fc.record({ kind: fc.constant('supersede'), user, content, which }),
  fc.record({ kind: fc.constant('expire'), user, content, which }),
  fc.record({ kind: fc.constant('change'), user, content, which }),
  fc.record({ kind: fc.constant('forget'), user, content, which }),
  fc.record({ kind: fc.constant('say'), user, content, which: fc.constantFrom(1, 2, 63, 130) }),
  fc.record({ kind: fc.constant('cut'), user, content, which }),
  fc.record({ kind: fc.constant('unsay'), user, content, which }),
  fc.record({ kind: fc.constant('leave'), user, content, which }),
  fc.record({ kind: fc.constant('episode'), user, content, which }),
  fc.record({ kind: fc.constant('retell'), user, content, which }),
  fc.record({ kind: fc.constant('sweep'), user, content, which }),
);

interface Step {
  kind: string;
  user: string;
  content: string;
  which: number;
}

/** Takes one step; one that is refused changes nothing, which the recount shows. */
export async function takeStep(
  daemon: MemoryDaemon,
  caller: Caller,
  { kind, user: owner, content: said, which: at }: Step,
): Promise<void> {
  const talk = conversing(caller);
  const { call } = caller;
  const memories = (await call<{ data: { id: string }[] }>('/v1/memories')).body.data;
  const conversations = (await call<{ data: { id: string }[] }>('/v1/conversations')).body.data;
  const episodes = await talk.episodes();
  const [memory, conversation, episode] = [memories[at]?.id, conversations[0]?.id, episodes[at]?.id];
  const add = (more: object = {}) =>
    call('/v1/memories', { body: { content: said, user: owner, tags: ['may'], ...more } });
  if (kind === 'add') await add();
  if (kind === 'supersede') await add({ supersedes: memory ?? 'none' });
  if (kind === 'expire') await add({ content: `${said} soon`, expiresAt: instant(daemon.clock.nowMs() + 5) });
  if (kind === 'change') await caller.change(memory ?? 'none', { content: said, tags: [] });
  if (kind === 'forget') await caller.erase(memory ?? 'none');
  if (kind === 'say') {
    const { id } = conversation === undefined ? await talk.begin({ user: owner }) : { id: conversation };
    const messages = Array.from({ length: at }, () => ({ role: 'user', name: 'Zoe Lee', content: said }));
    await talk.append(id, messages);
  }
  if (kind === 'cut' && conversation !== undefined) await talk.cut(conversation);
  if (kind === 'unsay' && conversation !== undefined) {
    const message = (await talk.page(conversation, '?order=oldest')).data[at];
    if (message) await call(`/v1/conversations/${conversation}/messages/${message.id}`, { method: 'DELETE' });
  }
  if (kind === 'leave' && conversation !== undefined) await talk.erase(`conversations/${conversation}`);
  if (kind === 'episode') await talk.episode({ title: said, user: owner, ...SPAN });
  if (kind === 'retell' && episode !== undefined) {
    await call(`/v1/episodes/${episode}`, { method: 'PATCH', body: { summary: said } });
  }
  if (kind === 'sweep') {
    daemon.clock.advance(10);
    await daemon.memories.sweep();
  }
}
