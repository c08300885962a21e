import { MAX_PERSON_ID_CODE_POINTS } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { type ConsentRow, consentColumns, readConsentFile } from './consent-file.ts';
import { type FolderFile, kindOf, MAX_PHOTO_BYTES, planImport } from './plan-import.ts';

const NOW = Date.parse('2026-12-10T12:00:00Z');
const GOOD = ['p-1', 'eu-v2', '2026-12-01', 'yes', 'yes', 'no', ''];

function rowsOf(...rows: readonly (readonly string[])[]): readonly ConsentRow[] {
  const file = readConsentFile([consentColumns, ...rows], 'eu-v2', NOW);
  if (!('rows' in file)) throw new Error('columns are missing');
  return file.rows;
}
const withCell = (at: number, cell: string) => GOOD.with(at, cell);

describe('a row of the consent file', () => {
  it('is read as an enrolment sends it', () => {
    expect(rowsOf([' p-1 ', 'eu-v2', '2026-12-01T10:00:00+01:00', 'TRUE', 'ja', 'x', '1'])).toEqual([
      {
        ...{ line: 2, personId: 'p-1', faults: [] },
        consent: {
          ...{ consentVersion: 'eu-v2', givenAt: '2026-12-01T09:00:00.000Z' },
          ...{ explicitBiometricConsent: true, writtenRelease: true, under16: true, guardianConsent: true },
        },
      },
    ]);
    expect(rowsOf(GOOD)[0]?.consent?.givenAt).toBe('2026-12-01T00:00:00.000Z');
  });

  it('has its boxes in any language of the page', () => {
    const boxes = ['si\u0301', 'TAK', 'non', 'لا'];
    const [row] = rowsOf(['p-1', 'eu-v2', '2026-12-01', ...boxes]);
    const said = { explicitBiometricConsent: true, writtenRelease: true, under16: false, guardianConsent: false };
    expect(row).toMatchObject({ faults: [], consent: said });
  });

  it('names the form that was signed on paper, which may be older than the wording', () => {
    const old = ['p-1', 'eu-v2', '2019-05-01', 'yes', 'yes', '', ''];
    const read = (...form: string[]) => rowsOf([...old, ...form])[0];
    const paperForm = { version: 'members-2019', wordingSha256: 'ab'.repeat(32) };
    expect(read('members-2019', 'AB'.repeat(32))).toMatchObject({ faults: [], consent: { paperForm } });
    expect(read()?.faults).toEqual(['given-at-early']);
    expect(read('members-2019')?.faults).toEqual(['paper-form']);
    expect(read('no name', 'ab'.repeat(32))?.faults).toEqual(['paper-form']);
  });

  it.each([
    ['without a personId', withCell(0, ' '), ['person-id-missing']],
    ['with a personId that is too long', withCell(0, 'x'.repeat(MAX_PERSON_ID_CODE_POINTS + 1)), ['person-id-invalid']],
    ['without a version', withCell(1, ''), ['version-missing']],
    ['of another version', withCell(1, 'uk-v2'), ['version-other']],
    ['without a date', withCell(2, ''), ['given-at-missing']],
    ['with a date as a spreadsheet writes it', withCell(2, '01.12.2026'), ['given-at-format']],
    ['with a time without its zone', withCell(2, '2026-12-01T10:00:00'), ['given-at-format']],
    ['with a day that there is not', withCell(2, '2026-11-31'), ['given-at-format']],
    ['of tomorrow', withCell(2, '2026-12-11'), ['given-at-future']],
    ['from before the wording was published', withCell(2, '2025-12-01'), ['given-at-early']],
    ['with a box that says neither', withCell(3, 'perhaps'), ['box-unreadable']],
    ['without explicit consent', withCell(3, 'no'), ['explicit-missing']],
    ['without the written release', withCell(4, ''), ['release-missing']],
    ['of a child without a guardian', withCell(5, 'yes'), ['guardian-missing']],
    [
      'with several faults',
      ['', 'us-v2', '', 'no', 'no', '', ''],
      ['person-id-missing', 'version-other', 'given-at-missing', 'explicit-missing', 'release-missing'],
    ],
  ])('%s is told', (_what, row, faults) => {
    const [read] = rowsOf(row);
    expect([read?.consent, read?.faults]).toEqual([null, faults]);
  });

  it('that repeats a personId is left out, the first one counts', () => {
    const rows = rowsOf(GOOD, withCell(0, 'p-2'), GOOD, ['', '', '', '', '', '', '']);
    expect(rows.map(({ line, faults }) => [line, faults])).toEqual([
      [2, []],
      [3, []],
      [4, ['person-id-repeated']],
    ]);
  });
});

describe('the columns', () => {
  it('are found in any order and spelling, others are left aside', () => {
    const cells = [
      ['Written release', 'note', 'PERSON_ID', 'given-at', 'consentVersion', 'explicit biometric consent'],
      ['yes', 'hello', 'p-1', '2026-12-01', 'eu-v2', 'yes'],
    ];
    expect(readConsentFile(cells, 'eu-v2', NOW)).toMatchObject({ rows: [{ personId: 'p-1', faults: [] }] });
  });

  it('that are missing or there twice are named', () => {
    const cells = [['personId', 'personid', 'givenAt', 'writtenRelease']];
    expect(readConsentFile(cells, 'eu-v2', NOW)).toEqual({
      missingColumns: ['consentVersion', 'explicitBiometricConsent'],
      repeatedColumns: ['personId'],
    });
    expect(readConsentFile([], 'eu-v2', NOW)).toMatchObject({ repeatedColumns: [] });
  });
});

const photo = (path: string, more: Partial<FolderFile> = {}): FolderFile => ({
  path,
  size: 1_000,
  kind: 'jpeg',
  ...more,
});

describe('a plan', () => {
  it('joins rows and photos by name', () => {
    const rows = rowsOf(...['p-1', 'a/b', 'Zoë', 'v1.2'].map((personId) => withCell(0, personId)));
    const files = [
      photo('photos/p-1.jpg'),
      photo('photos/a%2Fb.JPEG'),
      photo('photos/Zoe\u0308.png', { kind: 'png' }),
      photo('photos/v1.2.jpg'),
      photo('photos/.DS_Store', { kind: 'other' }),
      photo('photos/consents.csv', { kind: 'other' }),
    ];
    const plan = planImport(rows, files);
    expect(plan.ready.map(({ personId, path }) => [personId, path])).toEqual([
      ['p-1', 'photos/p-1.jpg'],
      ['a/b', 'photos/a%2Fb.JPEG'],
      ['Zoë', 'photos/Zoe\u0308.png'],
      ['v1.2', 'photos/v1.2.jpg'],
    ]);
    expect([plan.leftOut, plan.withoutConsent]).toEqual([[], []]);
  });

  it('leaves out what has a fault and names photos without consent', () => {
    const rows = rowsOf(
      ...['none', 'twice', 'heic', 'text', 'empty', 'large'].map((personId) => withCell(0, personId)),
      ['no-consent', 'eu-v2', '2026-12-01', 'no', 'yes', '', ''],
    );
    const files = [
      photo('twice.jpg'),
      photo('more/twice.png'),
      photo('heic.jpg', { kind: 'heic' }),
      photo('text.jpg', { kind: 'other' }),
      photo('empty.jpg', { size: 0, kind: 'other' }),
      photo('large.jpg', { size: MAX_PHOTO_BYTES + 1 }),
      photo('no-consent.jpg'),
      photo('stranger.jpg'),
    ];
    const plan = planImport(rows, files);
    expect(plan.ready).toEqual([]);
    expect(plan.leftOut.map(({ personId, faults }) => `${personId} ${faults}`)).toEqual([
      'none photo-missing',
      'twice photo-several',
      'heic photo-heic',
      'text photo-kind',
      'empty photo-empty',
      'large photo-large',
      'no-consent explicit-missing',
    ]);
    expect(plan.withoutConsent).toEqual(['stranger.jpg']);
  });
});

it.each([
  ['a JPEG', [0xff, 0xd8, 0xff, 0xe0], 'jpeg'],
  ['a PNG', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'png'],
  ['a photo of a phone', [0, 0, 0, 24, ...Buffer.from('ftypheic')], 'heic'],
  ['a film', [0, 0, 0, 24, ...Buffer.from('ftypisom')], 'other'],
  ['nothing', [], 'other'],
])('%s is known by its first bytes', (_what, bytes, kind) => {
  expect(kindOf(Uint8Array.from(bytes))).toBe(kind);
});
