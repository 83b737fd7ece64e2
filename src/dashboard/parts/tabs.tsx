interface TabsProps<Name extends string> {
  label: string;
  tabs: readonly { name: Name; title: string }[];
  chosen: Name;
  onChoose(name: Name): void;
}

/** A choice between a few ways to see the same thing. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose }: TabsProps<Name>) {
  return (
    <fieldset class="segments">
      <legend class="unseen">{label}</legend>
      {tabs.map(({ name, title }) => (
        <label key={name}>
          <input type="radio" name={label} checked={name === chosen} onChange={() => onChoose(name)} />
          <span>{title}</span>
        </label>
      ))}
    </fieldset>
  );
}
