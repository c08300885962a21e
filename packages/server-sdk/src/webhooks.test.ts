import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { verifyWebhook } from './webhooks.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const at = new Date('2026-05-01T12:00:00Z');
const body = JSON.stringify({
  type: 'list.closed',
  timestamp: at.toISOString(),
  data: { listId: 'lst_1', name: 'Gäste' },
});

function headers(o: { readonly by?: string; readonly signed?: string; readonly change?: Record<string, string> } = {}) {
  return {
    'webhook-id': 'dlv_1',
    'webhook-timestamp': String(at.getTime() / 1000),
    'webhook-signature': new Webhook(o.by ?? secret).sign('dlv_1', at, o.signed ?? body),
    ...o.change,
  };
}
const verify = (o: Partial<Parameters<typeof verifyWebhook>[0]> = {}) =>
  verifyWebhook({ body, headers: headers(), secrets: [secret], nowMs: at.getTime(), ...o });

describe('a notification, signed by the reference implementation', () => {
  it('is taken, as text or as bytes, from Node’s headers or the web’s', async () => {
    const expected = {
      id: 'dlv_1',
      type: 'list.closed',
      timestamp: at.toISOString(),
      data: { listId: 'lst_1', name: 'Gäste' },
    };
    expect(await verify()).toEqual(expected);
    expect(await verify({ body: Buffer.from(body), headers: new Headers(headers()) })).toEqual(expected);
  });

  it('is typed by its type', async () => {
    const notification = await verify();
    expectTypeOf(notification.data).not.toHaveProperty('personId');
    if (notification.type === 'device.synced-late') expectTypeOf(notification.data.lastSyncAt).toEqualTypeOf<string>();
    expect(notification.type === 'list.closed' && notification.data.listId).toBe('lst_1');
  });

  it('is taken during a rotation: either secret, either signature', async () => {
    expect((await verify({ secrets: [other, secret] })).id).toBe('dlv_1');
    const two = `${headers({ by: other })['webhook-signature']} ${headers()['webhook-signature']}`;
    expect((await verify({ headers: headers({ change: { 'webhook-signature': two } }) })).id).toBe('dlv_1');
  });

  it.each([
    ['of another secret', { secrets: [other] }, 'signature-wrong'],
    ['with a changed body', { body: body.replace('lst_1', 'lst_2') }, 'signature-wrong'],
    ['with another id', { headers: headers({ change: { 'webhook-id': 'dlv_2' } }) }, 'signature-wrong'],
    ['with another scheme', { headers: headers({ change: { 'webhook-signature': 'v2,AAAA' } }) }, 'signature-wrong'],
    [
      'with nonsense for a signature',
      { headers: headers({ change: { 'webhook-signature': 'v1,%%%' } }) },
      'signature-wrong',
    ],
    ['that is old', { nowMs: at.getTime() + 301_000 }, 'too-old'],
    ['of the future', { nowMs: at.getTime() - 301_000 }, 'too-old'],
    ['without a time', { headers: { ...headers(), 'webhook-timestamp': undefined } }, 'headers-missing'],
    ['with nonsense for a time', { headers: headers({ change: { 'webhook-timestamp': 'now' } }) }, 'headers-missing'],
    ['that is no JSON', { body: '{', headers: headers({ signed: '{' }) }, 'body-invalid'],
    ['that is no object', { body: 'null', headers: headers({ signed: 'null' }) }, 'body-invalid'],
  ])('is refused: %s', async (_what, change, code) => {
    await expect(verify(change)).rejects.toMatchObject({ name: 'WebhookVerificationError', code });
  });

  it('is not checked with an invalid secret', async () => {
    await expect(verify({ secrets: ['whsec_AAAA'] })).rejects.toBeInstanceOf(TypeError);
  });
});
