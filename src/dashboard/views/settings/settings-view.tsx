import type { ComponentType } from 'preact';
import { hrefOf, parameters, spaceOfPage } from '../../router.ts';
import { may } from '../../space.ts';
import { EraseSection } from './erase-section.tsx';
import { ExportSection } from './export-section.tsx';
import { ImportSection } from './import-section.tsx';
import { ModelsSection } from './models-section.tsx';
import { PlanSection } from './plan-section.tsx';
import { ProfileSection } from './profile-section.tsx';
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
