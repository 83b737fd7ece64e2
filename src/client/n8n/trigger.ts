import { Webhook } from 'standardwebhooks';
import { EVENT_NAMES } from '../../contract/event-names.ts';
import type { EventName } from '../../contract/events.ts';
import { hasCode } from '../../contract/named-items.ts';
import { clientOf, type NodeContext, USER } from './context.ts';

/** What is used of n8n's `IHookFunctions`. */
interface HookContext extends NodeContext {
  getNodeWebhookUrl(name: 'default'): string | undefined;
  getWorkflowStaticData(type: 'node'): Registration;
  getNodeParameter(name: string): unknown;
}

/** What is used of n8n's `IWebhookFunctions`. */
interface WebhookContext extends NodeContext {
  getWorkflowStaticData(type: 'node'): Registration;
  getHeaderData(): Record<string, string>;
  getRequestObject(): { rawBody: Buffer };
  getResponseObject(): { status(code: number): { end(): void } };
}

/** What n8n stores about the webhook. */
interface Registration {
  webhookId?: string;
  secret?: string;
}

/** n8n's trigger for changes in an account: a webhook that exists while the workflow is active. */
export class SvcTrigger {
  readonly description = {
    ...{ displayName: 'svc Trigger', name: 'svcTrigger', icon: 'file:svc.svg', group: ['trigger'], version: 1 },
    description: 'Starts the workflow when memories, conversations or suggestions change',
    defaults: { name: 'svc Trigger' },
    ...{ inputs: [], outputs: ['main'] },
    credentials: [{ name: 'svcApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        ...{ displayName: 'Events', name: 'events', type: 'multiOptions', default: ['memory.created'] },
        options: EVENT_NAMES.map((value) => ({ name: value, value })),
        description: 'All unless chosen. `reset`, which says that changes were missed, always comes.',
      },
      USER,
    ],
  };

  readonly webhookMethods = { default: { checkExists, create, delete: remove } };

  /** Starts the workflow with an event whose signature is right; svc's test events only get an answer. */
  async webhook(this: WebhookContext): Promise<object> {
    const { secret = '' } = this.getWorkflowStaticData('node');
    try {
      const event = new Webhook(secret).verify(this.getRequestObject().rawBody, this.getHeaderData()) as {
        type: string;
      };
      return event.type === 'test' ? { webhookResponse: 'OK' } : { workflowData: [[{ json: event }]] };
    } catch {
      this.getResponseObject().status(401).end();
      return { noWebhookResponse: true };
    }
  }
}

async function checkExists(this: HookContext): Promise<boolean> {
  const { webhookId } = this.getWorkflowStaticData('node');
  if (webhookId === undefined) return false;
  const client = await clientOf(this);
  const found = await client.webhooks.get(webhookId).catch(unlessGone);
  return found?.url === this.getNodeWebhookUrl('default');
}

async function create(this: HookContext): Promise<boolean> {
  const client = await clientOf(this);
  const events = this.getNodeParameter('events') as EventName[];
  const user = this.getNodeParameter('user') as string;
  const { id, secret } = await client.webhooks.create({
    url: this.getNodeWebhookUrl('default')!,
    ...(events.length > 0 && { events }),
    ...(user !== '' && { user }),
  });
  Object.assign(this.getWorkflowStaticData('node'), { webhookId: id, secret });
  return true;
}

async function remove(this: HookContext): Promise<boolean> {
  const stored = this.getWorkflowStaticData('node');
  const client = await clientOf(this);
  if (stored.webhookId !== undefined) await client.webhooks.delete(stored.webhookId).catch(unlessGone);
  delete stored.webhookId;
  delete stored.secret;
  return true;
}

function unlessGone(error: unknown): undefined {
  if (!hasCode(error, 'not_found')) throw error;
}
