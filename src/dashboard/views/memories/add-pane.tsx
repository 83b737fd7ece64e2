import { announce } from '../../live.ts';
import { SidePane } from '../../parts/side-pane.tsx';
import { showToast, showUndoToast } from '../../parts/toasts.tsx';
import { changeParameters, chosenUser } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { hasSeveralUsers } from '../../users.ts';
import { forgetMemories } from './memory-actions.ts';
import { MemoryForm } from './memory-form.tsx';
import { parseTags } from './tag-text.ts';

/** Adds a memory and opens it. */
export function AddPane({ onAdded }: { onAdded: () => void }) {
  const close = () => changeParameters({ add: undefined });
  return (
    <SidePane title="Add a memory" onClose={close}>
      <MemoryForm
        submitLabel="Add"
        onCancel={close}
        onSubmit={async (fields, form) => {
          const { client } = currentSession();
          const user = String(form.get('user') ?? chosenUser.value ?? '').trim();
          const tags = parseTags(String(form.get('tags')));
          const { content, ...rest } = fields;
          const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
          const added = await client.memories.create({
            content,
            origin: 'person',
            ...set,
            ...(user && { user }),
            tags,
          });
          announce('memory');
          onAdded();
          changeParameters({ add: undefined, id: added.id });
          if (added.duplicate) showToast('This memory is stored already. Here it is.');
          else {
            showUndoToast('Added the memory.', () => {
              changeParameters({ id: undefined });
              forgetMemories(client, [added.id]);
            });
          }
        }}
      >
        <div class="memory-form-row">
          <label class="form">
            Tags
            <input name="tags" placeholder="taste, travel" list="memory-tags" />
          </label>
          {hasSeveralUsers.value && (
            <label class="form">
              User
              <input name="user" maxLength={256} placeholder="default" defaultValue={chosenUser.value ?? ''} />
            </label>
          )}
        </div>
      </MemoryForm>
    </SidePane>
  );
}
