// Receives a webhook: asks svc to post to an address, checks the signature of what comes, and prints the first event.
// svc posts to https at public addresses only, or to hosts in its SVC_PROVIDER_HOSTS.
// npm install @svc-memory/client standardwebhooks
import { createServer } from 'node:http';
import { createClient } from '@svc-memory/client';
import { Webhook } from 'standardwebhooks';

const url = process.argv[2] ?? 'http://127.0.0.1:8080/';
const svc = createClient();
const { id, secret } = await svc.webhooks.create({ url, events: ['memory.created'] });
const webhook = new Webhook(secret);

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  try {
    const { type, data } = webhook.verify(body, request.headers);
    response.writeHead(204).end();
    console.log(type, (await svc.memories.get(data.id)).content);
    await svc.webhooks.delete(id);
    server.close();
  } catch {
    response.writeHead(401).end();
  }
});
// A memory that is there already would be no change.
const content = `A webhook was tried at ${new Date().toISOString()}`;
server.listen(Number(new URL(url).port), () => svc.memories.create({ content }));
