import { useSignal } from '@preact/signals';

/** A field for the name of a new space. */
export function NewSpaceForm({ onCreate }: { onCreate: (name: string) => Promise<boolean> }) {
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    isBusy.value = true;
    if (await onCreate(String(new FormData(form).get('name')).trim())) form.reset();
    isBusy.value = false;
  };
  return (
    <form class="form new-space" onSubmit={(event) => void submit(event)}>
      <label for="new-space">New space</label>
      <div class="field-row">
        <input id="new-space" name="name" required maxLength={64} autocomplete="off" placeholder="team" />
        <button type="submit" class="primary" disabled={isBusy.value}>
          Create space
        </button>
      </div>
    </form>
  );
}
