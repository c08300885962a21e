import { equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  CONTRACT_MINOR,
  type Hello,
  type Received,
  readMessage,
  toBase64Url,
  writeMessage,
} from '@svc/device-sdk-native';

export async function use(): Promise<void> {
  const session = toBase64Url(new Uint8Array(16));
  const body: Hello = { minor: CONTRACT_MINOR, sdkVersion: '1.0.0', session };
  const text = writeMessage({ v: 1, session, kind: 'event', name: 'hello', body });
  const received: Received = readMessage(text, { from: 'page', session: null, highestId: 0 });
  equal(received.kind, 'event');
  // The shells' own tools read the contract as files.
  const { resolve } = createRequire(`${process.cwd()}/package.json`);
  const schema = JSON.parse(readFileSync(resolve('@svc/device-sdk-native/contract/v1.schema.json'), 'utf8'));
  equal(schema.title, 'Message');
}
