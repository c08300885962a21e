import type { ConsentRecordResource, PersonResource } from '@svc/protocol';
import { Badge } from '../../components/status.tsx';
import { format, language, say } from '../../text/index.ts';
import { useWordingCheck } from './ledger.ts';

const toneOf = { enrolled: 'good', 'other-model': 'warning', leaving: 'neutral' } as const;

/** What a person's record means for the doors, in a word. */
export function StateBadge({ state }: { readonly state: PersonResource['state'] }) {
  return <Badge tone={toneOf[state]}>{say(`people.state.${state}`)}</Badge>;
}

/** A person's records, the latest first. @param fresh identifier of the one to point out */
export function LedgerRecords({
  records,
  fresh = null,
}: {
  readonly records: readonly ConsentRecordResource[];
  readonly fresh?: string | null;
}) {
  return (
    <ol className="svcd-ledger svcd-plain">
      {records.toReversed().map((record) => (
        <li key={record.consentId} data-fresh={record.consentId === fresh}>
          {record.kind === 'given' ? <Given record={record} /> : <Withdrawn record={record} />}
        </li>
      ))}
    </ol>
  );
}

function Head({ record }: { readonly record: ConsentRecordResource }) {
  return (
    <div className="svcd-row">
      <Badge tone={record.kind === 'given' ? 'good' : 'neutral'}>{say(`people.ledger.${record.kind}`)}</Badge>
      <span>{format.dateTime(record.recordedAt)}</span>
      {record.seq !== null && <span className="svcd-small">{say('people.ledger.seq', { seq: record.seq })}</span>}
    </div>
  );
}

function nameOfLanguage(tag: string, shownIn: string): string {
  return new Intl.DisplayNames([shownIn], { type: 'language' }).of(tag) ?? tag;
}

function Given({ record }: { readonly record: ConsentRecordResource }) {
  const isPublished = useWordingCheck(record);
  const version = record.consentVersion ?? '';
  const shown =
    record.shownBy === 'service' && record.wordingLanguage !== null
      ? say('people.ledger.shown-service', {
          version,
          language: nameOfLanguage(record.wordingLanguage, language),
        })
      : say('people.ledger.shown-organiser', { version });
  return (
    <>
      <Head record={record} />
      <p>{shown}</p>
      {isPublished !== null && (
        <p className="svcd-small">{say(isPublished ? 'people.ledger.wording-same' : 'people.ledger.wording-other')}</p>
      )}
      <p className="svcd-small">
        {record.givenAt !== null && say('people.ledger.given-at', { at: format.dateTime(record.givenAt) })}{' '}
        {record.under16 === true && say('people.ledger.guardian')}{' '}
        {record.faceDeleteAfter !== null && say('people.ledger.until', { at: format.date(record.faceDeleteAfter) })}
      </p>
    </>
  );
}

function Withdrawn({ record }: { readonly record: ConsentRecordResource }) {
  return (
    <>
      <Head record={record} />
      <p>{say('people.ledger.withdrawn-text')}</p>
    </>
  );
}
