import { createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aeads } from '../testing/aeads.ts';
import { example, exampleBytes } from '../testing/pack-example.ts';

const document = readFileSync(new URL('../../../../docs/internals/pack-format.md', import.meta.url), 'utf8');

/** The `name:` and hex lines of the document's ```hex blocks. */
function documented(): Map<string, string> {
  const values = new Map<string, string>();
  for (const [, block = ''] of document.matchAll(/```hex\n([\s\S]*?)```/g)) {
    for (const part of block.trim().split('\n\n')) {
      const [name = '', ...lines] = part.split('\n');
      values.set(name.replace(/:$/, ''), lines.join('').replaceAll(' ', ''));
    }
  }
  return values;
}

const bytesOf = (name: string): Buffer => Buffer.from(documented().get(name) ?? '', 'hex');

describe('the worked example of docs/internals/pack-format.md', () => {
  it.each(aeads)('is what this package writes, with %s', async (_name, create) => {
    const written = Object.entries(await exampleBytes(await create()));
    expect(new Map(written.map(([name, bytes]) => [name, Buffer.from(bytes).toString('hex')]))).toEqual(documented());
  });
});

// A reader written from docs/internals/pack-format.md, with node:crypto only.
const F = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      return [Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes];
    }),
  );
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

function openByDocument(record: Buffer, personId: string): Buffer {
  const [tag, deleteAfter, salt] = [record.subarray(0, 16), record.subarray(16, 24), record.subarray(24, 48)];
  const { listKey, listId, epoch, engineId } = example;
  const info = F('svc/record/v1', listId, u32(epoch), personId);
  const secrets = Buffer.from(hkdfSync('sha256', listKey, salt, info, 44));
  const options = { authTagLength: 16 };
  const decipher = createDecipheriv('aes-256-gcm', secrets.subarray(0, 32), secrets.subarray(32), options);
  decipher.setAAD(F('svc/record/v1', listId, u32(epoch), tag, engineId, deleteAfter));
  decipher.setAuthTag(record.subarray(-16));
  return Buffer.concat([decipher.update(record.subarray(48, -16)), decipher.final()]);
}

describe('a reader written from the document', () => {
  it('finds the tag and opens the record', () => {
    const lookupKey = Buffer.from(hkdfSync('sha256', example.listKey, '', F('svc/lookup/v1'), 32));
    expect(lookupKey).toEqual(bytesOf('lookup key'));
    const tag = createHmac('sha256', lookupKey).update(example.personId).digest().subarray(0, 16);
    expect(tag).toEqual(bytesOf('tag'));
    const record = bytesOf('record');
    expect(record.subarray(0, 16)).toEqual(tag);
    expect(Number(record.readBigUInt64BE(16))).toBe(example.deleteAfterMs);
    // 0x3800 and 0xb800 are 0.5 and -0.5.
    expect(openByDocument(record, example.personId).toString('hex')).toBe('003800b8003800b8');
    expect(() => openByDocument(record, 'Zoe-7')).toThrow();
  });

  it('opens the check record', () => {
    expect(openByDocument(bytesOf('check record'), '')).toEqual(Buffer.alloc(8));
  });

  it('takes the pack apart and computes its state hash', () => {
    const pack = bytesOf('pack');
    const header = Buffer.concat([Buffer.from('SVCPACK1'), u32(0), u32(7), F(example.listId), Buffer.from([1])]);
    const epochHeader = Buffer.concat([u32(1), F(example.engineId), Buffer.from([0, 4]), u32(1)]);
    const [check, record] = [bytesOf('check record'), bytesOf('record')];
    expect(pack).toEqual(Buffer.concat([header, epochHeader, check, record]));

    const buckets = Array.from({ length: 256 }, (_, b) => (record[0] === b ? sha256(record) : sha256()));
    const head = F('svc/state-epoch/v1', example.listId, u32(1), example.engineId, Buffer.from([0, 4]), check);
    const state = sha256(F('svc/state/v1', example.listId), sha256(head, ...buckets));
    expect(state).toEqual(bytesOf('state hash'));
  });
});
