import type { Aead } from '../aead/aead.ts';
import { utf8 } from '../bytes.ts';
import {
  deriveLookupKey,
  encodeDelta,
  encodeEnvelope,
  encodePack,
  envelopeSigningInput,
  listKeySealInfo,
  lookupTag,
  parsePack,
} from '../pack/index.ts';
import { sealCheckRecordWithSalt, sealRecordWithSalt } from '../pack/record.ts';

const rising = (from: number, length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => from + i);

/** The worked example of docs/internals/pack-format.md. */
export const example = {
  listKey: rising(0x00, 32),
  listId: 'lst_example',
  listVersion: 7,
  epoch: 1,
  engineId: 'example/1',
  dimension: 4,
  personId: 'Zoë-7',
  deleteAfterMs: 1_767_225_600_000,
  template: Float32Array.of(0.5, -0.5, 0.5, -0.5),
  recordSalt: rising(0xa0, 24),
  checkSalt: rising(0xc0, 24),
  deviceId: 'dev_example',
  keyId: '0123456789abcdef',
  signature: rising(0x40, 64),
  removedTag: rising(0x00, 16),
  manifest: utf8('{"format":1}'),
} as const;

/** Every byte string of the example, by its name in the document. */
export async function exampleBytes(aead: Aead): Promise<Record<string, Uint8Array>> {
  const { listKey, listId, listVersion, epoch, engineId, dimension, manifest } = example;
  const context = { listKey, listId, epoch, engineId, dimension };
  const lookupKey = deriveLookupKey(listKey);
  const { personId, deleteAfterMs, template, recordSalt, checkSalt } = example;
  const record = await sealRecordWithSalt(aead, { ...context, personId, deleteAfterMs, template }, recordSalt);
  const checkRecord = await sealCheckRecordWithSalt(aead, context, checkSalt);
  const input = { listId, listVersion, epochs: [{ epoch, engineId, dimension, checkRecord, records: [record] }] };
  const pack = encodePack(input);
  const epochDelta = { ...context, checkRecord, recordCount: 1, upserts: [record], removals: [example.removedTag] };
  const envelope = {
    payloadKind: 1,
    manifest,
    keyId: example.keyId,
    signature: example.signature,
    payload: pack,
  } as const;
  return {
    'lookup key': lookupKey,
    tag: lookupTag(lookupKey, example.personId),
    record,
    'check record': checkRecord,
    pack,
    'state hash': parsePack(pack).stateHash(),
    delta: encodeDelta({ listId, fromVersion: 6, toVersion: listVersion, epochs: [epochDelta] }),
    'signing input': envelopeSigningInput(1, manifest),
    envelope: encodeEnvelope(envelope),
    'list key info': listKeySealInfo({ listId, deviceId: example.deviceId, epoch }),
  };
}
