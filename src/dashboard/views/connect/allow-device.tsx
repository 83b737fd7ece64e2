import { useSignal } from '@preact/signals';
import type { WaitingDevice } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { announce } from '../../live.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters } from '../../router.ts';
import { currentSession, endSessionOn } from '../../session.ts';

/** How often, and how many times, the list of connections is loaded until the terminal has collected its token. */
const LOOK_MS = 1500;
const LOOKS = 8;

/** Asks whether the device with a code, from a link that a terminal shows, may use the account. */
export function AllowDevice({ userCode }: { userCode: string }) {
  const { client } = currentSession();
  const device = useResource(`device ${userCode}`, (signal) => client.auth.getDevice({ userCode }, { signal }));
  return (
    <section class="card stack" aria-labelledby="allow-device-title">
      <h2 id="allow-device-title">Connect a device</h2>
      <Loaded resource={device} rows={3}>
        {(waiting) => <Question userCode={userCode} device={waiting} />}
      </Loaded>
      {device.state.value.error !== undefined && (
        <div class="buttons">
          <button type="button" class="small" onClick={close}>
            Close
          </button>
        </div>
      )}
    </section>
  );
}

function close(): void {
  changeParameters({ device: undefined }, 'replace');
}

function Question({
  userCode,
  device: { name, system, address, createdAt },
}: {
  userCode: string;
  device: WaitingDevice;
}) {
  const isBusy = useSignal(false);
  const { client, email } = currentSession();
  const decide = async (allow: boolean) => {
    isBusy.value = true;
    try {
      await client.auth.decideDevice({ userCode, allow });
      showToast(allow ? `Allowed ${name}. Its terminal continues.` : `Denied ${name}.`);
      if (allow) lookForDevice();
      close();
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
      isBusy.value = false;
    }
  };
  return (
    <>
      <p>
        Connect <strong>{name}</strong> ({system}) to {email}? The request came from {address},{' '}
        <Moment at={createdAt} />.
      </p>
      <p>
        Your terminal must show this code: <code class="device-code">{userCode}</code>
      </p>
      <p class="caution">
        <strong>
          Allow only if you just ran <code>svc login --device</code> and your terminal shows this code.
        </strong>{' '}
        The device can then read and change your memories until you revoke it. Your API key does not change.
      </p>
      <div class="buttons">
        <button type="button" class="primary" disabled={isBusy.value} onClick={() => void decide(true)}>
          Allow
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void decide(false)}>
          Deny
        </button>
      </div>
    </>
  );
}

/** The terminal collects its token within seconds. */
function lookForDevice(looks = LOOKS): void {
  if (looks === 0) return;
  setTimeout(() => {
    announce('account');
    lookForDevice(looks - 1);
  }, LOOK_MS);
}

/** A form for the code of a terminal whose link cannot be opened in this browser. */
export function DeviceCodeForm() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const device = String(new FormData(form).get('code')).trim();
    form.reset();
    changeParameters({ device });
    document.querySelector('main')?.scrollTo({ top: 0 });
  };
  return (
    <form class="form" onSubmit={submit}>
      <label for="device-code">To connect another machine, run “svc login --device” there and type its code</label>
      <div class="field-row">
        <input
          id="device-code"
          name="code"
          required
          maxLength={40}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          placeholder="XXXX-XXXX"
        />
        <button type="submit">Continue</button>
      </div>
    </form>
  );
}
