import type { Scope } from '../../../contract/scopes.ts';
import { spaceOfPage } from '../../router.ts';
import { may } from '../../space.ts';

interface Section {
  title: string;
  /** What a role in a space needs to be offered the section. */
  needs: Scope;
}

/** The sections of the settings, by the `section` parameter. */
const SECTIONS = {
  plan: { title: 'Plan and usage', needs: 'memory:read' },
  providers: { title: 'Models and keys', needs: 'account' },
  webhooks: { title: 'Webhooks', needs: 'account' },
  profile: { title: 'Profile', needs: 'memory:read' },
  import: { title: 'Import', needs: 'memory' },
  export: { title: 'Export', needs: 'memory:read' },
  erase: { title: 'Erase', needs: 'memory' },
} as const satisfies Record<string, Section>;

export type SectionName = keyof typeof SECTIONS;

/** The sections that the page offers where it acts: in a space, those that the role may use. */
export function offeredSections(): { name: SectionName; title: string }[] {
  const all = Object.entries(SECTIONS) as [SectionName, Section][];
  return all
    .filter(([, { needs }]) => spaceOfPage === undefined || may(needs))
    .map(([name, { title }]) => ({ name, title }));
}

/** Returns the offered section that a parameter names, or the first. */
export function sectionNamed(name: string | null): SectionName {
  return offeredSections().find((section) => section.name === name)?.name ?? 'plan';
}
