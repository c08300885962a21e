import type { ConsentRecordResource, PersonResource } from '@svc/protocol';
import { Badge } from '../../components/status.tsx';
import { format, language, say } from '../../text/index.ts';
import { useWordingCheck } from './ledger.ts';

const toneOf = { enrolled: 'good', 'other-model': 'warning', leaving: 'neutral' } as const;

export function StateBadge({ state }: { readonly state: PersonResource['state'] }) {
  return <Badge tone={toneOf[state]}>{say(`guests.state.${state}`)}</Badge>;
}

export interface LedgerRecordsProps {
  readonly records: readonly ConsentRecordResource[];
  /** Identifier of the one to point out. */
  readonly fresh?: string | null;
}

export function LedgerRecords({ records, fresh = null }: LedgerRecordsProps) {
  return (
    <ol className="svcd-plain svcd-lines">
      {records.toReversed().map((record) => (
        <li key={record.consentId} data-fresh={record.consentId === fresh}>
          <div className="svcd-row">
            <Badge tone={record.kind === 'given' ? 'good' : 'neutral'}>{say(`people.ledger.${record.kind}`)}</Badge>
            <span>{format.dateTime(record.recordedAt)}</span>
            {record.seq !== null && <span className="svcd-small">{say('people.ledger.seq', { seq: record.seq })}</span>}
          </div>
          {record.kind === 'given' ? <Given record={record} /> : <p>{say('people.ledger.withdrawn-text')}</p>}
        </li>
      ))}
    </ol>
  );
}

const languageNames = () => new Intl.DisplayNames([language], { type: 'language' });

function Given({ record }: { readonly record: ConsentRecordResource }) {
  const isPublished = useWordingCheck(record);
  const { wordingLanguage, givenAt, under16, faceDeleteAfter } = record;
  const version = record.consentVersion ?? '';
  const shown =
    record.shownBy === 'service' && wordingLanguage !== null
      ? say('people.ledger.shown-service', {
          version,
          language: languageNames().of(wordingLanguage) ?? wordingLanguage,
        })
      : say('people.ledger.shown-organiser', { version });
  return (
    <>
      <p>{shown}</p>
      {isPublished !== null && (
        <p className="svcd-small">{say(isPublished ? 'people.ledger.wording-same' : 'people.ledger.wording-other')}</p>
      )}
      <p className="svcd-small">
        {givenAt !== null && say('people.ledger.given-at', { at: format.dateTime(givenAt) })}{' '}
        {under16 === true && say('people.ledger.guardian')}{' '}
        {faceDeleteAfter !== null && say('people.ledger.until', { at: format.date(faceDeleteAfter) })}
      </p>
    </>
  );
}
