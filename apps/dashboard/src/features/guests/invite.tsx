import { MAX_RECIPIENTS_AT_ONCE } from '@svc/protocol';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, FileUp } from 'lucide';
import { type DragEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { useSession, useTask } from '../../api/hooks.ts';
import { inColumns, Section } from '../../components/blocks.tsx';
import { Button, Icon } from '../../components/controls.tsx';
import { CheckField, RadioField, SelectField, TextField } from '../../components/field.tsx';
import { decodeTable, NoTable } from '../../components/files.ts';
import { Notice, Problem } from '../../components/status.tsx';
import { say, words } from '../../text/index.ts';
import { keepNames } from './guest-names.ts';
import {
  type CheckedGuests,
  checkRows,
  type GuestField,
  type GuestTable,
  guessMapping,
  guestFields,
  type Mapping,
  readTable,
} from './guest-table.ts';
import { ValiditySelect } from './link-dialogs.tsx';
import { makeLinks } from './link-runs.ts';
import { OmittedTable } from './links-made.tsx';
import { SendMails } from './mail-settings.tsx';

const NOBODY: ReadonlySet<string> = new Set();
/** Rows of the table that are shown beside the choice of columns. */
const SHOWN_ROWS = 3;
/** No table of 10,000 guests is larger. */
const MAX_FILE_BYTES = 20 * 2 ** 20;
const PAGE = 200;

/** Tickets of an event that have a valid link. */
function useLinkedTickets(eventId: string) {
  return useQuery({
    queryKey: ['linked-tickets', eventId],
    queryFn: async ({ signal }) => {
      const linked = new Set<string>();
      for (let cursor: string | undefined; ; ) {
        const query = { limit: PAGE, state: 'valid' as const, cursor };
        const page = await api.call('listEnrolmentTokens', { params: { eventId }, query, signal });
        for (const { ticketId, guestLink } of page.items) if (guestLink && ticketId !== null) linked.add(ticketId);
        if (page.nextCursor === null) return linked;
        cursor = page.nextCursor;
      }
    },
    ...{ gcTime: 0, staleTime: Number.POSITIVE_INFINITY, networkMode: 'always' },
  });
}

type Way = 'file' | 'mail';

interface InviteProps {
  readonly listId: string;
  readonly eventId: string;
  readonly onClose: () => void;
}

/** From a list of guests to their links: read, look through, then make a file of links or send mails. */
export function Invite({ onClose, ...of }: InviteProps) {
  const [table, setTable] = useState<GuestTable | null>(null);
  return (
    <div className="svcd-stack">
      <div>
        <Button kind="quiet" icon={ArrowLeft} autoFocus onPress={onClose} text={say('guests.back')} />
      </div>
      {table === null ? (
        <Source onRead={setTable} />
      ) : (
        <Prepare {...of} table={table} onTable={setTable} onClose={onClose} />
      )}
    </div>
  );
}

/** Reads a list of guests. @throws NoTable */
export async function readGuestFile(file: Blob): Promise<GuestTable> {
  if (file.size > MAX_FILE_BYTES) throw new NoTable('too-large');
  const table = readTable(decodeTable(new Uint8Array(await file.arrayBuffer())).text);
  if (table.rows.length === 0) throw new NoTable('empty');
  return table;
}

/** Why a list of guests cannot be read; `unreadable` for a file that was moved or locked. */
export const faultOf = (error: unknown) => (error instanceof NoTable ? error.kind : 'unreadable');

export const SourceNotice = ({ fault }: { readonly fault: ReturnType<typeof faultOf> }) => (
  <Notice tone="bad" isAlert text={say(`guests.source.${fault}`)} />
);

function Source({ onRead }: { readonly onRead: (table: GuestTable) => void }) {
  const [text, setText] = useState('');
  const [isOver, setOver] = useState(false);

  const read = useTask(readGuestFile, onRead);
  const readFile = (file: Blob | undefined) => file !== undefined && read.mutate(file);

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    readFile(event.dataTransfer.files[0]);
  };

  return (
    <Section title={say('guests.source')} lead={say('guests.source-lead')}>
      <label
        className="svcd-drop"
        data-drop-target={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon of={FileUp} />
        <span>{say('guests.file')}</span>
        <span className="svcd-help">{say('guests.file-help')}</span>
        <input
          type="file"
          accept=".csv,.txt,.tsv,text/csv,text/plain"
          onChange={(event) => readFile(event.target.files?.[0])}
        />
      </label>
      <p className="svcd-or">{say('app.or')}</p>
      <TextField
        {...words('guests.paste')}
        rows={8}
        value={text}
        onChange={setText}
        placeholder={say('guests.paste-example')}
        autoComplete="off"
      />
      {read.error !== null && <SourceNotice fault={faultOf(read.error)} />}
      <div className="svcd-row svcd-actions">
        <Button
          kind="primary"
          isDisabled={text.trim() === ''}
          onPress={() => readFile(new Blob([text]))}
          text={say('app.continue')}
        />
      </div>
    </Section>
  );
}

interface PrepareProps extends InviteProps {
  readonly table: GuestTable;
  readonly onTable: (table: GuestTable | null) => void;
}

function Prepare({ listId, eventId, table, onTable, onClose }: PrepareProps) {
  const { deployment } = useSession();
  const tickets = useLinkedTickets(eventId);
  // Without an answer the service tells which of them have one.
  const linked = tickets.data ?? (tickets.error === null ? null : NOBODY);
  const [mapping, setMapping] = useState<Mapping>(() => guessMapping(table));
  const [way, setWay] = useState<Way>(deployment.mail && mapping.email !== null ? 'mail' : 'file');
  const [hours, setHours] = useState('168');
  const checked = useMemo(
    () => checkRows(table, mapping, { needsEmail: way === 'mail', linked: linked ?? NOBODY }),
    [table, mapping, way, linked],
  );
  const count = checked.guests.length;
  const isTooMany = way === 'mail' && count > MAX_RECIPIENTS_AT_ONCE;

  function make(): void {
    keepNames(listId, table, mapping);
    void makeLinks(eventId, { table, guests: checked.guests, validForHours: Number(hours) });
    onClose();
  }

  return (
    <Step label={say('guests.columns')}>
      <Columns
        table={table}
        mapping={mapping}
        onMapping={setMapping}
        onHeader={(hasHeader) => onTable({ ...table, hasHeader })}
        onOther={() => onTable(null)}
      />
      <Section title={say('guests.way')}>
        <RadioField
          label={say('guests.way-label')}
          value={way}
          onChange={setWay}
          options={[
            { value: 'file', label: say('guests.way-file'), help: say('guests.way-file-help') },
            {
              value: 'mail',
              label: say('guests.way-mail'),
              help: say(deployment.mail ? 'guests.way-mail-help' : 'guests.way-mail-none'),
              isDisabled: !deployment.mail,
            },
          ]}
        />
      </Section>
      <Checked checked={checked} isChecking={linked === null} />
      <Problem error={tickets.error} />
      {isTooMany && (
        <Notice
          tone="bad"
          title={say('guests.too-many', { most: MAX_RECIPIENTS_AT_ONCE })}
          text={say('guests.too-many-help')}
        />
      )}
      {way === 'mail' ? (
        <SendMails
          eventId={eventId}
          guests={checked.guests}
          isReady={count > 0 && !isTooMany && linked !== null}
          onSent={() => {
            keepNames(listId, table, mapping);
            onClose();
          }}
        />
      ) : (
        <Section title={say('guests.make')} lead={say('guests.make-lead')}>
          <div className="svcd-form">
            <ValiditySelect value={hours} onChange={setHours} />
          </div>
          <div className="svcd-row svcd-actions">
            <Button
              kind="primary"
              isDisabled={count === 0 || linked === null}
              onPress={make}
              text={say('guests.make-links', { count })}
            />
          </div>
        </Section>
      )}
    </Step>
  );
}

/** A step that follows another one: it takes the focus, which was on a button that is gone. */
function Step({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const group = useRef<HTMLFieldSetElement>(null);
  useEffect(() => group.current?.focus(), []);
  return (
    <fieldset ref={group} className="svcd-fieldset svcd-stack" aria-label={label} tabIndex={-1}>
      {children}
    </fieldset>
  );
}

interface ColumnsProps {
  readonly table: GuestTable;
  readonly mapping: Mapping;
  readonly onMapping: (mapping: Mapping) => void;
  readonly onHeader: (hasHeader: boolean) => void;
  readonly onOther: () => void;
}

function Columns({ table, mapping, onMapping, onHeader, onOther }: ColumnsProps) {
  const count = table.rows.length - (table.hasHeader ? 1 : 0);
  const header = table.hasHeader ? table.rows[0] : undefined;
  const nameOf = (column: number) => header?.[column]?.trim() || say('guests.column', { number: column + 1 });
  const columns = Array.from({ length: table.columns }, (_, column) => column);
  const fieldOf = (column: number) => guestFields.find((field) => mapping[field] === column);
  const choose = (field: GuestField, value: string) => {
    const column = value === '' ? null : Number(value);
    const others = guestFields.filter((other) => other !== field && mapping[other] === column && column !== null);
    onMapping({ ...mapping, ...Object.fromEntries(others.map((other) => [other, null])), [field]: column });
  };
  return (
    <Section
      title={say('guests.columns')}
      lead={say('guests.columns-lead', { count })}
      actions={<Button onPress={onOther} text={say('guests.other-list')} />}
    >
      <div className="svcd-columns" style={inColumns('12rem', 'end')}>
        {guestFields.map((field) => (
          <SelectField
            key={field}
            label={say(`guests.field.${field}`)}
            value={mapping[field] === null ? '' : String(mapping[field])}
            onChange={(value) => choose(field, value)}
            options={[
              ...(field === 'ticket' ? [] : [{ value: '', label: say('guests.no-column') }]),
              ...columns.map((column) => ({ value: String(column), label: nameOf(column) })),
            ]}
          />
        ))}
      </div>
      <CheckField label={say('guests.has-header')} value={table.hasHeader} onChange={onHeader} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is scrolled with the keyboard */}
      <section className="svcd-guests-sample" aria-label={say('guests.sample')} tabIndex={0}>
        <table className="svcd-simple-table">
          <thead>
            <tr>
              {columns.map((column) => {
                const field = fieldOf(column);
                return (
                  <th key={column} scope="col" data-used={field !== undefined}>
                    {field === undefined ? nameOf(column) : say(`guests.field.${field}`)}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(table.hasHeader ? 1 : 0, (table.hasHeader ? 1 : 0) + SHOWN_ROWS).map((row) => (
              <tr key={table.rows.indexOf(row)}>
                {columns.map((column) => (
                  <td key={column}>{row[column]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  );
}

function Checked({ checked, isChecking }: { readonly checked: CheckedGuests; readonly isChecking: boolean }) {
  const { guests, faulty } = checked;
  return (
    <Section title={say('guests.check')} lead={isChecking ? say('guests.checking') : say('import.checked-lead')}>
      <Notice tone={guests.length > 0 ? 'good' : 'bad'} title={say('guests.ready', { count: guests.length })} />
      {faulty.length > 0 && (
        <>
          <Notice tone="warning" title={say('guests.faulty', { count: faulty.length })} />
          <OmittedTable rows={faulty} />
        </>
      )}
    </Section>
  );
}
