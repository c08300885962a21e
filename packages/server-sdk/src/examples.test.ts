import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { createReceiver } from '../examples/webhook-receiver.ts';

it('the example of a receiver takes what is signed, refuses the rest, and says when it failed', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = JSON.stringify({ type: 'list.closed', timestamp: new Date().toISOString(), data: { listId: 'lst_1' } });
  const taken: string[] = [];
  const receiver = createReceiver([secret], async ({ id }) => {
    if (id === 'dlv_broken') throw new Error('database down');
    taken.push(id);
  });
  const server = createServer(receiver).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = (id: string, sent: string) => {
    const at = new Date();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    };
    return fetch(url, { method: 'POST', headers, body: sent });
  };
  try {
    const statuses = await Promise.all([post('dlv_1', body), post('dlv_2', `${body} `), post('dlv_broken', body)]);
    expect(statuses.map(({ status }) => status)).toEqual([204, 400, 500]);
    expect(taken).toEqual(['dlv_1']);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
