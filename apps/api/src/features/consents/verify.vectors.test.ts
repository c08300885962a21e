import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { describe, expect, it } from 'vitest';
import { wordingFor } from '../wording/wording.ts';
import { genesisHash, verifyLedger } from './chain.ts';

const page = readFileSync(new URL('../../../../../docs/guide/consent.md', import.meta.url), 'utf8');
const blockOf = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';
const example = blockOf('ndjson');

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the example of docs/guide/consent.md', () => {
  it('verifies, with an erased entry in it', async () => {
    const report = await verifyLedger(bytesOf(example));
    expect(report).toMatchObject({ valid: true, entries: 3, erased: 1, unchained: 0 });
  });

  it('has the genesis that the page tells', () => {
    const [ledger, chain] = example.split('\n').map((line) => (line === '' ? {} : JSON.parse(line)));
    const genesis = genesisHash(ledger.accountId, chain.listId);
    expect(page).toContain(genesis.toString('hex'));
    const text = JSON.stringify(['svc-consent-ledger/1', ledger.accountId, chain.listId]);
    expect(page).toContain(`\`${text}\``);
    expect(createHash('sha256').update(text).digest()).toEqual(genesis);
  });

  it('names a wording that was published', () => {
    expect(example).toContain(wordingFor('eu-v2', 'de').sha256);
  });

  it.skipIf(!hasPython())('verifies with the page’s own verifier, and does not when it was changed', () => {
    const directory = temporaryFolder();
    const run = (text: string) => {
      writeFileSync(join(directory, 'verify.py'), blockOf('python'));
      writeFileSync(join(directory, 'ledger'), text);
      execFileSync('python3', [join(directory, 'verify.py'), join(directory, 'ledger')], { stdio: 'ignore' });
    };
    run(example);
    for (const [from, to] of [
      ['T-8F3', 'T-8F4'],
      ['"seq":2', '"seq":3'],
      ['"entries":3', '"entries": 3'],
    ] as const) {
      expect(() => run(example.replace(from, to))).toThrow();
    }
    expect(() => run(example.slice(0, example.lastIndexOf('{')))).toThrow();
  });
});
