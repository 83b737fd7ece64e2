import { type Static, Type } from 'typebox';
import { Nullable, strict } from './common.ts';
import { SUGGESTION_MODES } from './suggestion-names.ts';

/** From this confidence on, unless the account says otherwise. */
export const DEFAULT_MIN_CONFIDENCE = 0.95;

export const AutomaticModeName = Type.Enum([...SUGGESTION_MODES], {
  description:
    '`review`: they wait for a person; `automatic`: those of the rules are accepted from `minConfidence` on; `off`: none are made',
});
export const ChosenModeName = Type.Enum(['review', 'off'], {
  description: '`review`: they wait for a person; `off`: none are made',
});
const MinConfidence = Type.Number({ minimum: 0.5, maximum: 1, description: 'Used in `automatic`' });

/** What happens with suggestions of a kind that svc may decide automatically. */
export const AutomaticSetting = Type.Object({
  mode: AutomaticModeName,
  minConfidence: MinConfidence,
  pausedUntil: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Nothing is accepted automatically until then, because two decisions were undone within a week',
    }),
  ),
});
export type AutomaticSetting = Static<typeof AutomaticSetting>;
/** What happens with suggestions of a kind that a person decides. */
export const ChosenSetting = Type.Object({ mode: ChosenModeName });

/** What happens with suggestions of each kind. */
export const SuggestionSettings = Type.Object({
  add: AutomaticSetting,
  merge: AutomaticSetting,
  supersede: AutomaticSetting,
  contradiction: ChosenSetting,
  expire: ChosenSetting,
  split: ChosenSetting,
});
export type SuggestionSettings = Static<typeof SuggestionSettings>;

/** A change of what happens with a kind. */
export const AutomaticSettingChange = Type.Object(
  { mode: Type.Optional(AutomaticModeName), minConfidence: Type.Optional(MinConfidence) },
  { ...strict, minProperties: 1 },
);
export const ChosenSettingChange = Type.Object({ mode: ChosenModeName }, strict);

export const SuggestionSettingsChange = Type.Object(
  {
    add: Type.Optional(AutomaticSettingChange),
    merge: Type.Optional(AutomaticSettingChange),
    supersede: Type.Optional(AutomaticSettingChange),
    contradiction: Type.Optional(ChosenSettingChange),
    expire: Type.Optional(ChosenSettingChange),
    split: Type.Optional(ChosenSettingChange),
  },
  { ...strict, minProperties: 1 },
);
export type SuggestionSettingsChange = Static<typeof SuggestionSettingsChange>;
