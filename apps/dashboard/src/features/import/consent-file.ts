import {
  codePointLength,
  consentVersionPublishedAt,
  EARLIEST_PAPER_CONSENT,
  MAX_CONSENT_AHEAD_MS,
  MAX_PERSON_ID_CODE_POINTS,
  PAPER_FORM_VERSION,
} from '@svc/protocol';

export const consentColumns = [
  'personId',
  'consentVersion',
  'givenAt',
  'explicitBiometricConsent',
  'writtenRelease',
  'under16',
  'guardianConsent',
  'paperForm',
  'paperFormSha256',
] as const;
export type ConsentColumn = (typeof consentColumns)[number];

const OPTIONAL: readonly ConsentColumn[] = ['under16', 'guardianConsent', 'paperForm', 'paperFormSha256'];

export type RowFault =
  | `person-id-${'missing' | 'invalid' | 'repeated'}`
  | `version-${'missing' | 'other'}`
  | `given-at-${'missing' | 'format' | 'future' | 'early'}`
  | 'box-unreadable'
  | 'paper-form'
  | `${'explicit' | 'release' | 'guardian'}-missing`
  | `photo-${'missing' | 'several' | 'heic' | 'kind' | 'empty' | 'large'}`;

/** What a person consented to, as an enrolment sends it. */
export interface FiledConsent {
  readonly consentVersion: string;
  /** ISO 8601, UTC. */
  readonly givenAt: string;
  readonly explicitBiometricConsent: true;
  readonly writtenRelease: true;
  readonly under16: boolean;
  readonly guardianConsent: boolean;
  /** Of the organiser's own, signed on paper. */
  readonly paperForm?: { readonly version: string; readonly wordingSha256: string };
}

export interface ConsentRow {
  /** Line of the file, from 1; the header has the first. */
  readonly line: number;
  readonly personId: string;
  /** Null when there are faults. */
  readonly consent: FiledConsent | null;
  readonly faults: readonly RowFault[];
}

export type ConsentFile =
  | { readonly missingColumns: readonly ConsentColumn[]; readonly repeatedColumns: readonly ConsentColumn[] }
  | { readonly rows: readonly ConsentRow[] };

const plain = (header: string) => header.toLowerCase().replaceAll(/[\s_-]/g, '');

// As people write it in the dashboard's languages, and as spreadsheets do.
const words = (text: string) => new Set(text.split(' '));
const YES = words(
  'true 1 yes y x ✓ ja j wahr waar oui vrai sí si sì verdadero vero sim verdadeiro tak prawda ano pravda sandt sant نعم',
);
const NO = words(
  ' false 0 no n nein falsch nee onwaar non faux falso não nao nie fałsz ne nepravda nej falsk falskt لا',
);

function readBox(cell: string): boolean | null {
  const text = cell.trim().normalize('NFC').toLowerCase();
  if (YES.has(text)) return true;
  return NO.has(text) ? false : null;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** A day (its beginning in UTC) or a moment with its zone, in milliseconds; null for anything else. */
function readTime(cell: string): number | null {
  if (!DAY.test(cell) && !MOMENT.test(cell)) return null;
  const ms = Date.parse(cell);
  // The 31st of February is read as the 3rd of March.
  const isReal =
    !Number.isNaN(ms) && new Date(`${cell.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(cell.slice(0, 10));
  return isReal ? ms : null;
}

const publishedAt = (version: string): number =>
  Object.hasOwn(consentVersionPublishedAt, version)
    ? Date.parse(consentVersionPublishedAt[version as keyof typeof consentVersionPublishedAt])
    : 0;

function timeFault(cell: string, earliestMs: number, nowMs: number): RowFault | null {
  if (cell === '') return 'given-at-missing';
  const ms = readTime(cell);
  if (ms === null) return 'given-at-format';
  if (ms > nowMs + MAX_CONSENT_AHEAD_MS) return 'given-at-future';
  return ms < earliestMs ? 'given-at-early' : null;
}

function personIdFault(personId: string): RowFault | null {
  if (personId === '') return 'person-id-missing';
  const length = codePointLength(personId, MAX_PERSON_ID_CODE_POINTS);
  return length < 1 || length > MAX_PERSON_ID_CODE_POINTS ? 'person-id-invalid' : null;
}

type Cells = Readonly<Record<ConsentColumn, string>>;

function readRow(line: number, cells: Cells, accepted: string, nowMs: number): ConsentRow {
  const personId = cells.personId;
  const version = cells.consentVersion.trim();
  const givenAt = cells.givenAt.trim();
  const boxes = (['explicitBiometricConsent', 'writtenRelease', 'under16', 'guardianConsent'] as const).map((name) =>
    readBox(cells[name]),
  );
  const [explicit, release, under16, guardian] = boxes;
  const versionFault = version === '' ? 'version-missing' : version === accepted ? null : 'version-other';
  const paperForm = { version: cells.paperForm.trim(), wordingSha256: cells.paperFormSha256.trim().toLowerCase() };
  const isPaper = Object.values(paperForm).some((cell) => cell !== '');
  const isForm = PAPER_FORM_VERSION.test(paperForm.version) && /^[0-9a-f]{64}$/.test(paperForm.wordingSha256);
  const earliestMs = isPaper ? Date.parse(EARLIEST_PAPER_CONSENT) : publishedAt(version);
  const found: readonly (RowFault | null)[] = [
    personIdFault(personId),
    versionFault,
    timeFault(givenAt, earliestMs, nowMs),
    isPaper && !isForm ? 'paper-form' : null,
    boxes.includes(null) ? 'box-unreadable' : null,
    explicit === false ? 'explicit-missing' : null,
    release === false ? 'release-missing' : null,
    under16 === true && guardian === false ? 'guardian-missing' : null,
  ];
  const faults = found.filter((fault) => fault !== null);
  if (faults.length > 0) return { line, personId, consent: null, faults };
  const consent = {
    consentVersion: version,
    givenAt: new Date(givenAt).toISOString(),
    explicitBiometricConsent: true,
    writtenRelease: true,
    under16: under16 === true,
    guardianConsent: guardian === true,
    ...(isPaper ? { paperForm } : {}),
  } as const;
  return { line, personId, consent, faults };
}

/**
 * Reads the cells of a consent file and checks each row by the rules of an enrolment. Rows without any text are left
 * out; a personId is taken as it is, but for white space around it.
 * @param accepted the list's consent version
 */
export function readConsentFile(cells: readonly (readonly string[])[], accepted: string, nowMs: number): ConsentFile {
  const headers = (cells[0] ?? []).map(plain);
  const placesOf = (column: ConsentColumn) => headers.flatMap((header, at) => (header === plain(column) ? [at] : []));
  const places = new Map(consentColumns.map((column) => [column, placesOf(column)]));
  const missingColumns = consentColumns.filter((name) => !OPTIONAL.includes(name) && places.get(name)?.length === 0);
  const repeatedColumns = consentColumns.filter((name) => (places.get(name)?.length ?? 0) > 1);
  if (missingColumns.length + repeatedColumns.length > 0) return { missingColumns, repeatedColumns };

  const seen = new Set<string>();
  const rows = cells.slice(1).flatMap((row, nth) => {
    if (row.every((cell) => cell.trim() === '')) return [];
    const cellOf = (column: ConsentColumn) => row[places.get(column)?.[0] ?? -1] ?? '';
    const named = Object.fromEntries(consentColumns.map((column) => [column, cellOf(column)])) as Cells;
    const read = readRow(nth + 2, { ...named, personId: named.personId.trim() }, accepted, nowMs);
    const isRepeated = seen.has(read.personId) && read.personId !== '';
    seen.add(read.personId);
    if (!isRepeated) return [read];
    return [{ ...read, consent: null, faults: [...read.faults, 'person-id-repeated' as const] }];
  });
  return { rows };
}
