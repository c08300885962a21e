import { Download } from 'lucide';
import { useApi } from '../../api/hooks.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { csvFile, saveAs } from '../../components/files.ts';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { Progress } from '../../components/progress.tsx';
import { Section } from '../../components/section.tsx';
import { forgetLinks, goOn, type LinkRun, markDownloaded, replaceLinks } from './link-runs.ts';
import { writeLinks } from './write-links.ts';

/** Links that this tab makes or made: how far it is, what was left out, and the file with them. */
export function LinksMade({ eventId, run }: { readonly eventId: string; readonly run: LinkRun }) {
  const say = useSay();
  const format = useFormat();
  const api = useApi();
  const asked = run.guests.length - run.waiting.length;
  const linked = run.omitted.filter(({ reason }) => reason === 'linked').length;

  function save(): void {
    const words = {
      ticket: say('guests.field.ticket'),
      link: say('guests.file.link'),
      validUntil: say('guests.file.valid-until'),
    };
    const day = new Date().toISOString().slice(0, 10);
    const lines = writeLinks(run.table, run.guests, run.links, words);
    saveAs(csvFile([lines]), `${say('guests.file.name')}-${day}.csv`);
    markDownloaded(eventId);
  }

  return (
    <Section
      title={say('guests.made', { count: run.links.length })}
      lead={say('guests.made-lead')}
      actions={
        run.state !== 'running' && (
          <>
            {(run.isDownloaded || run.links.length === 0) && (
              <Button kind="quiet" onPress={() => forgetLinks(eventId)}>
                {say('guests.made-close')}
              </Button>
            )}
            {run.links.length > 0 && (
              <Button kind="primary" icon={Download} onPress={save}>
                {say('guests.download')}
              </Button>
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
      {run.state === 'stopped' && <Problem error={run.error} onRetry={() => void goOn(api, eventId)} />}
      {run.state === 'lost' && (
        <Notice
          tone="warning"
          title={say('guests.lost')}
          action={
            <Button size="small" onPress={() => void replaceLinks(api, eventId, 'lost')}>
              {say('guests.lost-replace')}
            </Button>
          }
        >
          {say('guests.lost-help')}
        </Notice>
      )}
      {run.links.length > 0 && (
        <Notice tone={run.isDownloaded ? 'good' : 'warning'}>
          {say(run.isDownloaded ? 'guests.downloaded' : 'guests.not-downloaded')}
        </Notice>
      )}
      {linked > 0 && run.state === 'done' && (
        <Notice
          title={say('guests.linked', { count: linked })}
          action={
            <Button size="small" onPress={() => void replaceLinks(api, eventId, 'linked')}>
              {say('guests.linked-replace')}
            </Button>
          }
        >
          {say('guests.linked-help')}
        </Notice>
      )}
      {run.omitted.length > 0 && (
        <DataTable
          label={say('guests.omitted')}
          rows={run.omitted}
          rowKey={({ guest }) => String(guest.line)}
          columns={[
            { id: 'line', header: say('guests.line'), width: '5rem', cell: ({ guest }) => format.number(guest.line) },
            { id: 'ticket', header: say('guests.field.ticket'), isTitle: true, cell: ({ guest }) => guest.ticketId },
            { id: 'reason', header: say('guests.reason'), cell: ({ reason }) => say(`guests.omission.${reason}`) },
          ]}
        />
      )}
    </Section>
  );
}
