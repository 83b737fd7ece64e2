import { type Resource, ResourceNotFoundError, ResourceTemplate, UriTemplate } from '@modelcontextprotocol/server';
import { AppError } from '../../contract/errors.ts';
import { FENCE_TOKENS, fence, oneLine, withoutTags } from '../../contract/fence.ts';
import type { Memory } from '../../contract/memories.ts';
import type { Principal } from '../../features/keys/keys.ts';
import type { Memories } from '../../features/memories/memories.ts';
import { PROFILE_CONTENTS, PROFILE_TOKENS, type Profile } from '../../features/profile/profile.ts';
import { memoryText } from './mcp-answers.ts';
import { protocolError } from './mcp-protocol-error.ts';
import type { McpCall, Registration } from './mcp-tool.ts';

const MARKDOWN = 'text/markdown';
const PROFILE_URI = 'memory://profile';
const PROFILE_OF = new UriTemplate('memory://profile/{user}');
const MEMORY = new UriTemplate('memory://{id}');

const DIGEST = `At most ${PROFILE_TOKENS} tokens of Markdown: ${PROFILE_CONTENTS}.`;
/** A valid user name, as in the contract; anything else has no profile. */
const USER_NAME = /^[^\u0000-\u001f\u007f]{1,256}$/u;

/** The number of memories in the resource list; others can be read by the ids that searches return. */
const LISTED = 50;
const NAME_CHARACTERS = 60;

/** The MCP resources: a memory by its id, and a digest of what is remembered, overall or about one user. */
export function createResources({ memories, profile }: { memories: Memories; profile: Profile }): Registration[] {
  return [profileResource(profile), profileOfUser(profile), memoryResource(memories)];
}

function profileResource(profile: Profile): Registration {
  const config = { title: 'What is remembered', description: DIGEST, mimeType: MARKDOWN };
  return (server, call) => {
    server.registerResource('profile', PROFILE_URI, config, (uri) =>
      read(uri, call, (principal) => digestOf(profile, principal, 'default', call)),
    );
  };
}

function profileOfUser(profile: Profile): Registration {
  const description = `The same for one of several users. ${DIGEST}`;
  const config = { title: 'What is remembered about a user', description, mimeType: MARKDOWN };
  return (server, call) => {
    const template = new ResourceTemplate(PROFILE_OF, { list: undefined });
    server.registerResource('profile-of-user', template, config, (uri, { user }) =>
      read(uri, call, (principal) => digestOf(profile, principal, userNamed(String(user)), call)),
    );
  };
}

async function digestOf(profile: Profile, principal: Principal, user: string, { mark }: McpCall): Promise<string> {
  return fence(await profile.digest(principal, user, PROFILE_TOKENS - FENCE_TOKENS), mark);
}

function memoryResource(memories: Memories): Registration {
  const description = 'One complete memory by its id (mem_…): a heading with its metadata, then its content.';
  const config = { title: 'A memory', description, mimeType: MARKDOWN };
  return (server, call) => {
    const template = new ResourceTemplate(MEMORY, { list: () => listNewest(memories, call) });
    server.registerResource('memory', template, config, (uri, { id }) =>
      read(uri, call, async (principal) => memoryText(await memories.get(principal, String(id)), call.mark)),
    );
  };
}

async function listNewest(memories: Memories, call: McpCall): Promise<{ resources: Resource[] }> {
  try {
    const { data } = await memories.list(call.principal, { limit: LISTED });
    return { resources: data.map(resourceOf) };
  } catch (error) {
    throw protocolError(error, 'resources/list', call);
  }
}

function resourceOf({ id, content, user, author, createdAt, updatedAt }: Memory): Resource {
  const line = Array.from(withoutTags(oneLine(content)));
  const name = line.length <= NAME_CHARACTERS ? line.join('') : `${line.slice(0, NAME_CHARACTERS).join('')}…`;
  const about = user === 'default' ? '' : ` about ${withoutTags(oneLine(user))}`;
  const by = author === null ? '' : ` by ${author}`;
  const description = `Noted ${createdAt.slice(0, 10)}${by}${about}.`;
  return { uri: `memory://${id}`, name, title: name, description, annotations: { lastModified: updatedAt } };
}

/** Reads a resource. If this tenant has none, throws the protocol's not-found error, even if another tenant has one. */
async function read(uri: URL, call: McpCall, text: (principal: Principal) => Promise<string>) {
  try {
    return { contents: [{ uri: uri.href, mimeType: MARKDOWN, text: await text(call.principal) }] };
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') throw new ResourceNotFoundError(uri.href);
    throw protocolError(error, 'resources/read', call);
  }
}

function userNamed(encoded: string): string {
  try {
    const name = decodeURIComponent(encoded);
    if (USER_NAME.test(name)) return name;
  } catch {
    // Badly percent-encoded, so not a valid name.
  }
  throw new AppError('not_found', 'There is no such user.');
}
