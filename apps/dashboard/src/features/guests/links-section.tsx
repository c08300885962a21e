import type { EnrolmentTokenResource } from '@svc/protocol';
import { Ban, RefreshCw } from 'lucide';
import { useState } from 'react';
import { useAct, usePages } from '../../api/hooks.ts';
import { Empty, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { type Column, DataTable, moments } from '../../components/data-table.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { ConfirmAct, Dialog, useDialog } from '../../components/form.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { Menu } from '../../components/menu.tsx';
import { Badge, Notice, Problem, type Tone } from '../../components/status.tsx';
import { format, say, TYPING_MS, useSettled, words } from '../../text/index.ts';

type State = EnrolmentTokenResource['state'];
const tones: Readonly<Record<State, Tone>> = {
  valid: 'accent',
  used: 'good',
  declined: 'neutral',
  expired: 'warning',
  revoked: 'neutral',
  exhausted: 'bad',
};
const states = ['all', ...(Object.keys(tones) as State[])] as const;
const DAY_HOURS = 24;

/** A guest's ticket, or that the service has forgotten it. */
export const ticketOf = ({ ticketId }: { readonly ticketId: string | null }) =>
  ticketId ?? <span className="svcd-muted">{say('guests.forgotten')}</span>;

const columns: readonly Column<EnrolmentTokenResource>[] = [
  { header: 'guests.field.ticket', width: 'minmax(9rem, 2fr)', isTitle: true, cell: ticketOf },
  { header: 'app.state', cell: ({ state }) => <Badge tone={tones[state]}>{say(`guests.state.${state}`)}</Badge> },
  moments('guests.created', 'minmax(9.5rem, 1fr)', ({ createdAt }) => createdAt),
  moments('app.valid-until', 'minmax(9.5rem, 1fr)', ({ expiresAt }) => expiresAt),
];

export interface LinksSectionProps {
  readonly eventId: string;
  readonly canChange: boolean;
  /** Guests can still be invited. */
  readonly canRenew: boolean;
}

export function LinksSection({ eventId, canChange, canRenew }: LinksSectionProps) {
  const [typed, setTyped] = useState('');
  const wanted = useSettled(typed.trim(), TYPING_MS);
  const [state, setState] = useState<State | 'all'>('all');
  const { dialog, open } = useDialog();
  const query = {
    limit: 100,
    ...(wanted === '' ? {} : { ticketIdPrefix: wanted }),
    ...(state === 'all' ? {} : { state }),
  };
  const pages = usePages('listEnrolmentTokens', { params: { eventId }, query });
  const isFiltered = wanted !== '' || state !== 'all';
  const menuOf = (token: EnrolmentTokenResource) => {
    const { ticketId, tokenId } = token;
    const isValid = token.state === 'valid';
    if (!isValid && ticketId === null) return null;
    return (
      <Menu
        label={say('guests.actions', { ticket: ticketId ?? tokenId })}
        entries={[
          {
            label: say('guests.renew'),
            icon: RefreshCw,
            isDisabled: !canRenew || ticketId === null,
            onPress: () => open(<RenewDialog eventId={eventId} ticketId={ticketId ?? ''} />),
          },
          {
            label: say('app.revoke'),
            icon: Ban,
            kind: 'danger',
            isDisabled: !isValid,
            onPress: () => open(<RevokeDialog eventId={eventId} token={token} />),
          },
        ]}
      />
    );
  };
  return (
    <Section title={say('guests.links')} lead={say('guests.links-lead')}>
      <div className="svcd-row svcd-filters">
        <TextField
          label={say('guests.search')}
          type="search"
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          maxLength={200}
        />
        <SelectField
          label={say('app.state')}
          value={state}
          onChange={setState}
          options={states.map((value) => ({ value, label: say(`guests.state.${value}`) }))}
        />
      </div>
      <DataTable
        label={say('guests.links-table')}
        columns={columns}
        rowKey={({ tokenId }) => tokenId}
        pages={pages}
        empty={
          isFiltered ? (
            <Empty title={say('guests.none-found')} text={say('guests.none-found-help')} />
          ) : (
            <Empty title={say('guests.no-links')} />
          )
        }
        actions={canChange && menuOf}
      />
      {dialog}
    </Section>
  );
}

function RevokeDialog({ eventId, token }: { readonly eventId: string; readonly token: EnrolmentTokenResource }) {
  return (
    <ConfirmAct
      operation="revokeEnrolmentToken"
      input={{ params: { eventId, tokenId: token.tokenId } }}
      title={say('guests.revoke-title')}
      text={say('guests.revoke-help', { ticket: token.ticketId ?? '' })}
      action={say('app.revoke')}
      told={say('guests.revoked')}
    />
  );
}

function RenewDialog({ eventId, ticketId }: { readonly eventId: string; readonly ticketId: string }) {
  const [hours, setHours] = useState('168');
  const renew = useAct('createEnrolmentTokenBatch');
  const [link] = renew.data?.items ?? [];
  const make = () => {
    const body = { ticketIds: [ticketId], validForHours: Number(hours), ifLinked: 'replace' as const };
    renew.mutate({ params: { eventId }, body });
  };
  return (
    <Dialog
      isKept={link !== undefined}
      isWaiting={renew.isPending}
      title={say('guests.renew-title', { ticket: ticketId })}
      {...(link === undefined ? {} : { cancelLabel: say('app.close') })}
      actions={
        link === undefined && (
          <Button kind="primary" isBusy={renew.isPending} onPress={make} text={say('guests.renew')} />
        )
      }
    >
      {link === undefined ? (
        <>
          <p>{say('guests.renew-help')}</p>
          <ValiditySelect value={hours} onChange={setHours} />
        </>
      ) : (
        <>
          <Notice tone="warning" text={say('guests.shown-once')} />
          <CopyField
            label={say('guests.file.link')}
            value={link.url}
            help={say('guests.valid-until-at', { at: format.dateTime(link.expiresAt) })}
          />
        </>
      )}
      <Problem error={renew.error} />
    </Dialog>
  );
}

/** How long links are valid. @param o.value hours */
export function ValiditySelect(o: { readonly value: string; readonly onChange: (value: string) => void }) {
  const options = [1, 3, 7, 14].map((count) => ({
    value: String(count * DAY_HOURS),
    label: say('app.days', { count }),
  }));
  return <SelectField {...words('guests.validity')} {...o} options={options} />;
}
