import { Download } from 'lucide';
import type { AnswerOf } from '../../api/operations.ts';
import { Section, type SectionProps } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { csvFile, saveAs } from '../../components/files.ts';
import { Notice, Problem, Progress } from '../../components/status.tsx';
import { format, plain, say } from '../../text/index.ts';
import { type Guest, type RowFault, writeLinks } from './guest-table.ts';
import { forgetLinks, goOn, type LinkRun, markDownloaded, type OmittedGuest, replaceLinks } from './link-runs.ts';

type LinksMadeProps = Pick<SectionProps, 'takesFocus'> & { readonly eventId: string; readonly run: LinkRun };

/** Links that this tab makes or made: how far it is, what was left out, and the file with them. */
export function LinksMade({ eventId, run, takesFocus = false }: LinksMadeProps) {
  const asked = run.guests.length - run.waiting.length;
  const linked = run.omitted.filter(({ reason }) => reason === 'linked').length;

  function save(): void {
    const day = new Date().toISOString().slice(0, 10);
    const lines = writeLinks(run.table, run.guests, run.links);
    saveAs(csvFile([lines]), `${plain(say('guests.file.name'))}-${day}.csv`);
    markDownloaded(eventId);
  }

  return (
    <Section
      takesFocus={takesFocus}
      title={say('guests.made', { count: run.links.length })}
      lead={say('guests.made-lead')}
      actions={
        run.state !== 'running' && (
          <>
            {(run.isDownloaded || run.links.length === 0) && (
              <Button kind="quiet" onPress={() => forgetLinks(eventId)} text={say('app.close')} />
            )}
            {run.links.length > 0 && (
              <Button kind="primary" icon={Download} onPress={save} text={say('guests.download')} />
            )}
          </>
        )
      }
    >
      {run.state !== 'done' && (
        <Progress
          label={say('guests.making', { done: asked, count: run.guests.length })}
          value={run.guests.length === 0 ? 0 : asked / run.guests.length}
        />
      )}
      {run.state === 'stopped' && <Problem error={run.error} onRetry={() => void goOn(eventId)} />}
      {run.state === 'lost' && (
        <Notice
          tone="warning"
          title={say('guests.lost')}
          action={
            <Button size="small" onPress={() => void replaceLinks(eventId, 'lost')} text={say('guests.lost-replace')} />
          }
          text={say('guests.lost-help')}
        />
      )}
      {run.links.length > 0 && (
        <Notice
          tone={run.isDownloaded ? 'good' : 'warning'}
          isAlert={!run.isDownloaded}
          text={say(run.isDownloaded ? 'guests.downloaded' : 'guests.not-downloaded')}
        />
      )}
      {linked > 0 && run.state === 'done' && (
        <Notice
          title={say('guests.linked', { count: linked })}
          action={
            <Button
              size="small"
              onPress={() => void replaceLinks(eventId, 'linked')}
              text={say('guests.linked-replace')}
            />
          }
          text={say('guests.linked-help')}
        />
      )}
      {run.omitted.length > 0 && <OmittedTable rows={run.omitted} />}
    </Section>
  );
}

interface OmittedRow extends Pick<Guest, 'line' | 'ticketId'> {
  readonly reason: RowFault | OmittedGuest['reason'] | AnswerOf<'createMailing'>['omitted'][number]['reason'];
  readonly firstLine?: number | null;
}

function reasonOf({ reason, firstLine }: OmittedRow): string {
  const what = reason === 'invalid' ? 'invalid-ticket' : reason;
  return say(`guests.omission.${what}`, { line: firstLine ?? 0 });
}

const columns: readonly Column<OmittedRow>[] = [
  {
    header: 'app.line',
    width: '5rem',
    cell: ({ line }) => format.number(line),
    sortBy: ({ line }) => line,
  },
  {
    header: 'guests.field.ticket',
    isTitle: true,
    cell: ({ ticketId }) => ticketId.slice(0, 80) || <span className="svcd-muted">–</span>,
  },
  { header: 'app.reason', width: 'minmax(12rem, 2fr)', sortBy: reasonOf },
];

export const OmittedTable = ({ rows }: { readonly rows: readonly OmittedRow[] }) => (
  <DataTable label={say('guests.omitted')} rows={rows} rowKey={({ line }) => String(line)} columns={columns} />
);
