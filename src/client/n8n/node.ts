import type { Client } from '../client.ts';
import { clientOf, type NodeContext, USER } from './context.ts';

/** What is used of n8n's `IExecuteFunctions`. */
interface ExecuteContext extends NodeContext {
  getInputData(): object[];
  getNodeParameter(name: string, index: number): unknown;
  continueOnFail(): boolean;
}

interface OutputItem {
  json: object;
  pairedItem: { item: number };
}

type Parameters = <Value>(name: string) => Value;

const OPERATIONS = {
  add: { name: 'Add Memory', action: 'Add a memory', run: add },
  remember: { name: 'Remember Turn', action: 'Remember what a person said and the answer', run: remember },
  search: { name: 'Search', action: 'Search memories and conversations', run: search },
  context: { name: 'Get Context', action: 'Get a context for a prompt', run: context },
};

type Operation = keyof typeof OPERATIONS;

const shownFor = (...operation: Operation[]) => ({ displayOptions: { show: { operation } } });
const text = (displayName: string, name: string) => ({ displayName, name, type: 'string', default: '' });
const multiline = { typeOptions: { rows: 3 } };

/** n8n's node for memories: adds, remembers, searches, and makes contexts for prompts. */
export class Svc {
  readonly description = {
    ...{ displayName: 'svc', name: 'svc', icon: 'file:svc.svg', group: ['transform'], version: 1 },
    subtitle: '={{$parameter["operation"]}}',
    description: 'Long-term memory in your own svc',
    defaults: { name: 'svc' },
    ...{ inputs: ['main'], outputs: ['main'], usableAsTool: true },
    credentials: [{ name: 'svcApi', required: true }],
    properties: [
      {
        ...{ displayName: 'Operation', name: 'operation', type: 'options', noDataExpression: true, default: 'search' },
        options: Object.entries(OPERATIONS).map(([value, { name, action }]) => ({ name, value, action })),
      },
      { ...text('Content', 'content'), required: true, ...multiline, ...shownFor('add') },
      { ...text('Tags', 'tags'), description: 'Separated by commas', ...shownFor('add') },
      { ...text('Message', 'message'), required: true, ...multiline, ...shownFor('remember') },
      { ...text('Answer', 'answer'), ...multiline, ...shownFor('remember') },
      { ...text('Conversation ID', 'conversationId'), description: 'A new one unless given', ...shownFor('remember') },
      { ...text('Query', 'query'), required: true, ...shownFor('search', 'context') },
      {
        ...{ displayName: 'Limit', name: 'limit', type: 'number', default: 10, ...shownFor('search') },
        ...{ typeOptions: { minValue: 1, maxValue: 100 }, description: 'Max number of results to return' },
      },
      {
        ...{ displayName: 'Max Tokens', name: 'maxTokens', type: 'number', default: 2000, ...shownFor('context') },
        typeOptions: { minValue: 1 },
      },
      USER,
    ],
  };

  /** Runs the operation for each item; with "continue on fail" an error becomes an item. */
  async execute(this: ExecuteContext): Promise<OutputItem[][]> {
    const client = await clientOf(this);
    const output: OutputItem[] = [];
    for (const [item] of this.getInputData().entries()) {
      const parameter: Parameters = (name) => this.getNodeParameter(name, item) as never;
      try {
        const found = await OPERATIONS[parameter<Operation>('operation')].run(client, parameter);
        output.push(...[found].flat().map((json) => ({ json, pairedItem: { item } })));
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        output.push({ json: { error: (error as Error).message }, pairedItem: { item } });
      }
    }
    return [output];
  }
}

/** Leaves out what the form has no text for. */
function given(parameter: Parameters, ...names: string[]): Record<string, string> {
  const filled = names.map((name) => [name, parameter<string>(name)] as const).filter(([, value]) => value !== '');
  return Object.fromEntries(filled);
}

async function add(client: Client, parameter: Parameters): Promise<object> {
  const tags = parameter<string>('tags')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return client.memories.create({ content: parameter('content'), tags, ...given(parameter, 'user') });
}

async function remember(client: Client, parameter: Parameters): Promise<object> {
  const answer = parameter<string>('answer');
  const messages = [
    { role: 'user' as const, content: parameter<string>('message') },
    ...(answer === '' ? [] : [{ role: 'assistant' as const, content: answer }]),
  ];
  const where = given(parameter, 'conversationId');
  return client.remember({ messages, ...where, ...(where.conversationId ? {} : given(parameter, 'user')) });
}

async function search(client: Client, parameter: Parameters): Promise<object[]> {
  const { results } = await client.search({
    ...{ query: parameter('query'), limit: parameter('limit') },
    ...given(parameter, 'user'),
  });
  return results;
}

async function context(client: Client, parameter: Parameters): Promise<object> {
  return client.context({
    ...{ query: parameter('query'), maxTokens: parameter('maxTokens') },
    ...given(parameter, 'user'),
  });
}
