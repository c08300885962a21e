import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signNotification } from './sender.ts';

/** From the Standard Webhooks specification and the tests of its libraries. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const keyOf = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64');

describe('a signature', () => {
  it('is the published one', () => {
    const { id, timestamp, body, secret } = VECTOR;
    const headers = signNotification(id, timestamp * 1000 + 999, Buffer.from(body), [keyOf(secret)]);
    expect(headers).toEqual({
      'webhook-id': VECTOR.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': VECTOR.signature,
    });
  });

  it('is taken by the library with either of two secrets, and by no third', () => {
    const keys = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
    const body = '{"type":"webhook.test","data":{"name":"Ünï – 🎟"}}';
    const headers = { ...signNotification('dlv_1', Date.now(), Buffer.from(body), keys.slice(0, 2)) };
    const [first, second, third] = keys.map((key) => new Webhook(`whsec_${key.toString('base64')}`));
    expect(() => first?.verify(body, headers)).not.toThrow();
    expect(() => second?.verify(body, headers)).not.toThrow();
    expect(() => third?.verify(body, headers)).toThrow();
    expect(() => first?.verify(body, { ...headers, 'webhook-id': 'dlv_2' })).toThrow();
    expect(() => first?.verify(body.replace('test', 'tess'), headers)).toThrow();
  });
});
