import { createHash } from 'node:crypto';
import { type ConsentLedgerLine, consentLedgerLineSchema } from '@svc/protocol';
import { canonicalJson, commitmentOf, entryHashOf, genesisHash, splitLines } from './chain.ts';

/** Kinds of problems in a ledger. */
export type LedgerProblem =
  | 'malformed-line'
  | 'unexpected-line'
  | 'sequence-broken'
  | 'entry-hash-mismatch'
  | 'commitment-mismatch'
  | 'half-erased'
  | 'head-mismatch'
  | 'count-mismatch'
  | 'digest-mismatch'
  | 'truncated'
  | 'earlier-head-mismatch'
  | 'earlier-head-missing';

export interface LedgerFinding {
  readonly problem: LedgerProblem;
  /** Line number in the export, from 1. */
  readonly line: number;
  readonly listId: string | null;
  readonly seq: number | null;
}

/**
 * Length of a list's chain and hash of its last entry (hex). Compared with a later export, it shows whether earlier
 * entries were rewritten.
 */
export interface ChainHead {
  readonly listId: string;
  readonly length: number;
  readonly entryHash: string;
}

export interface LedgerReport {
  readonly valid: boolean;
  /** Null when the first line does not contain it. */
  readonly accountId: string | null;
  readonly entries: number;
  /** Number of entries with erased content, which is not a finding. */
  readonly erased: number;
  /** Number of records from before the introduction of chains; nothing protects them. */
  readonly unchained: number;
  readonly heads: readonly ChainHead[];
  /** The first hundred findings. */
  readonly findings: readonly LedgerFinding[];
  readonly findingCount: number;
}

type Line<Type extends ConsentLedgerLine['type']> = Extract<ConsentLedgerLine, { readonly type: Type }>;

interface OpenChain {
  readonly listId: string;
  seq: number;
  hash: Buffer;
}

const MAX_FINDINGS = 100;
const hex = (text: string) => Buffer.from(text, 'hex');

function parse(bytes: Buffer): ConsentLedgerLine | null {
  try {
    const result = consentLedgerLineSchema.safeParse(
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)),
    );
    // Another encoding of the same value (a duplicate member, for example) could show readers something that was not
    // hashed.
    return result.success && canonicalJson(result.data).equals(bytes) ? result.data : null;
  } catch {
    return null;
  }
}

/** One pass over a ledger's lines. After a finding it continues with the line's claim, to report a fault only once. */
class Verification {
  readonly heads: ChainHead[] = [];
  readonly findings: LedgerFinding[] = [];
  findingCount = 0;
  accountId: string | null = null;
  entries = 0;
  erased = 0;
  unchained = 0;
  private readonly digest = createHash('sha256');
  private readonly seen = new Set<string>();
  private line = 0;
  private ended = false;
  private chain: OpenChain | null = null;
  private readonly earlier: ReadonlyMap<string, ChainHead>;
  private readonly metEarlier = new Set<string>();

  constructor(earlier: readonly ChainHead[]) {
    this.earlier = new Map(earlier.map((head) => [`${head.listId}:${head.length}`, head]));
  }

  take(bytes: Buffer | null, complete: boolean): void {
    this.line += 1;
    const line = bytes === null ? null : parse(bytes);
    if (!complete) this.find('truncated');
    if (line === null) this.find('malformed-line');
    else if (this.ended || (line.type === 'ledger') !== (this.line === 1)) this.find('unexpected-line');
    else this.dispatch(line);
    if (bytes !== null) this.digest.update(bytes).update('\n');
  }

  finish(): void {
    if (!this.ended) this.find('truncated');
    for (const [key, { listId, length }] of this.earlier) {
      if (!this.metEarlier.has(key)) this.find('earlier-head-missing', { listId, seq: length });
    }
  }

  private find(problem: LedgerProblem, at?: { readonly listId: string; readonly seq: number }): void {
    this.findingCount += 1;
    if (this.findings.length >= MAX_FINDINGS) return;
    const { listId, seq } = at ?? this.chain ?? { listId: null, seq: null };
    this.findings.push({ problem, line: this.line, listId, seq });
  }

  private dispatch(line: ConsentLedgerLine): void {
    const { chain } = this;
    if (line.type === 'ledger') this.accountId = line.accountId;
    else if (line.type === 'chain') this.begin(line);
    else if (line.type === 'entry' && chain !== null) this.entry(chain, line);
    else if (line.type === 'head' && chain !== null) this.head(chain, line);
    else if (line.type === 'unchained' && chain === null) this.unchained += 1;
    else if (line.type === 'end') this.end(line);
    else this.find('unexpected-line');
  }

  private begin({ listId }: Line<'chain'>): void {
    if (this.chain !== null || this.seen.has(listId) || this.unchained > 0) this.find('unexpected-line');
    this.seen.add(listId);
    this.chain = { listId, seq: 0, hash: genesisHash(this.accountId ?? '', listId) };
  }

  private entry(chain: OpenChain, { seq, salt, commitment, entryHash, consent }: Line<'entry'>): void {
    this.entries += 1;
    if (seq !== chain.seq + 1) this.find('sequence-broken');
    const expected = entryHashOf(chain.hash, seq, hex(commitment));
    chain.seq = seq;
    chain.hash = hex(entryHash);
    if (!expected.equals(chain.hash)) this.find('entry-hash-mismatch');
    if (salt === null && consent === null) this.erased += 1;
    else if (salt === null || consent === null) this.find('half-erased');
    else if (consent.listId !== chain.listId || !commitmentOf(hex(salt), consent).equals(hex(commitment))) {
      this.find('commitment-mismatch');
    }
    this.compareEarlier(chain.listId, seq, entryHash);
  }

  private compareEarlier(listId: string, seq: number, entryHash: string): void {
    const key = `${listId}:${seq}`;
    const earlier = this.earlier.get(key);
    if (earlier === undefined) return;
    this.metEarlier.add(key);
    if (earlier.entryHash !== entryHash) this.find('earlier-head-mismatch');
  }

  private head(chain: OpenChain, { listId, length, entryHash }: Line<'head'>): void {
    const matches = chain.listId === listId && chain.seq === length && chain.hash.equals(hex(entryHash));
    if (!matches) this.find('head-mismatch');
    this.heads.push({ listId, length, entryHash });
    this.chain = null;
  }

  private end({ chains, entries, unchained, sha256 }: Line<'end'>): void {
    if (this.chain !== null) this.find('unexpected-line');
    this.chain = null;
    this.ended = true;
    const counted = chains === this.heads.length && entries === this.entries && unchained === this.unchained;
    if (!counted) this.find('count-mismatch');
    if (this.digest.copy().digest('hex') !== sha256) this.find('digest-mismatch');
  }
}

/**
 * Verifies an exported ledger without a database; memory grows only by one head per list (docs/consent.md).
 * @param source the export's bytes, in chunks of any size
 * @param earlier heads kept from earlier exports: each must still be in its chain
 */
export async function verifyLedger(
  source: AsyncIterable<Uint8Array>,
  earlier: readonly ChainHead[] = [],
): Promise<LedgerReport> {
  const verification = new Verification(earlier);
  for await (const { bytes, complete } of splitLines(source)) verification.take(bytes, complete);
  verification.finish();
  const { accountId, entries, erased, unchained, heads, findings, findingCount } = verification;
  return { valid: findingCount === 0, accountId, entries, erased, unchained, heads, findings, findingCount };
}
