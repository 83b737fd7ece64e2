import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatNumber } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Meter } from '../../parts/meter.tsx';
import { useResource } from '../../resource.ts';
import { chosenUser, hrefOf, parameters, spaceOfPage } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { may } from '../../space.ts';
import { hasSeveralUsers } from '../../users.ts';
import { EraseSection } from './erase-section.tsx';
import { ExportSection } from './export-section.tsx';
import { ImportSection } from './import-section.tsx';
import { ModelsSection } from './models-section.tsx';
import { PlanSection } from './plan-section.tsx';
import { SECTIONS, type SectionName, sectionNamed } from './sections.ts';
import { WebhooksSection } from './webhooks-section.tsx';

const CONTENT: Record<SectionName, ComponentType> = {
  plan: PlanSection,
  providers: ModelsSection,
  webhooks: WebhooksSection,
  profile: ProfileSection,
  import: ImportSection,
  export: ExportSection,
  erase: EraseSection,
};

/** The plan and the models of the account, and moving or erasing what it stores. */
export function View() {
  const sections = SECTIONS.filter(({ needs }) => spaceOfPage === undefined || may(needs));
  const chosen = sectionNamed(parameters.value.get('section'), sections);
  const Content = CONTENT[chosen];
  return (
    <div class="settings">
      <nav class="settings-nav" aria-label="Sections">
        <ul>
          {sections.map(({ name, title }) => (
            <li key={name}>
              <a href={hrefOf('settings', { section: name })} aria-current={name === chosen ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="stack">
        <Content key={chosen} />
      </div>
    </div>
  );
}

/** The digest of a user, as assistants read it. */
export function ProfileSection() {
  const { client } = currentSession();
  const user = chosenUser.value;
  const profile = useResource(user ?? '', (signal) =>
    client.users.profile(user === undefined ? {} : { user }, { signal }),
  );
  useEffect(() => onChanges(['memory', 'conversation', 'episode'], profile.reload), []);
  return (
    <section class="card stack" aria-labelledby="profile-title">
      <h2 id="profile-title">Profile</h2>
      <p class="hint">
        What assistants read as <code>memory://profile</code> when they ask what is remembered. svc makes it without a
        model. Pin a memory to keep it at the top.
        {user === undefined &&
          hasSeveralUsers.value &&
          ' It describes one user: choose another than the default in the top bar.'}
      </p>
      <Loaded resource={profile}>
        {({ text, tokens, maxTokens, user: described }) => (
          <>
            <div class="card-head">
              <strong class="content">{described}</strong>
              <CopyButton text={() => text} />
            </div>
            <Meter label="Tokens" used={tokens} limit={maxTokens} format={formatNumber} />
            <pre class="snippet content">{text}</pre>
          </>
        )}
      </Loaded>
    </section>
  );
}
