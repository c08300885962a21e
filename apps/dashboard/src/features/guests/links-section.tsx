import type { EnrolmentTokenResource } from '@svc/protocol';
import { Ban, RefreshCw, Search } from 'lucide';
import { useMemo, useState } from 'react';
import { useAct, usePages } from '../../api/hooks.ts';
import { Empty, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { Menu } from '../../components/menu.tsx';
import { Badge, Notice, Problem, type Tone } from '../../components/status.tsx';
import { toast } from '../../components/toast.tsx';
import { format, say } from '../../text/index.ts';

type State = EnrolmentTokenResource['state'];
const states: readonly State[] = ['valid', 'used', 'declined', 'expired', 'revoked', 'exhausted'];
const tones: Readonly<Record<State, Tone>> = {
  valid: 'accent',
  used: 'good',
  declined: 'neutral',
  expired: 'warning',
  revoked: 'neutral',
  exhausted: 'bad',
};
const DAY_HOURS = 24;

export interface LinksSectionProps {
  readonly eventId: string;
  readonly canChange: boolean;
  /** Guests can still be invited. */
  readonly canRenew: boolean;
}

/** Every link of the event, with what became of it. */
export function LinksSection({ eventId, canChange, canRenew }: LinksSectionProps) {
  const [typed, setTyped] = useState('');
  const [wanted, setWanted] = useState('');
  const [state, setState] = useState<State | 'all'>('all');
  const [revoked, setRevoked] = useState<EnrolmentTokenResource | null>(null);
  const [renewed, setRenewed] = useState<string | null>(null);
  const query = {
    limit: 100,
    ...(wanted === '' ? {} : { ticketIdPrefix: wanted }),
    ...(state === 'all' ? {} : { state }),
  };
  const pages = usePages('listEnrolmentTokens', { params: { eventId }, query });
  const columns = useMemo<readonly Column<EnrolmentTokenResource>[]>(
    () => [
      {
        header: say('guests.field.ticket'),
        width: 'minmax(9rem, 2fr)',
        isTitle: true,
        cell: ({ ticketId }) => ticketId ?? <span className="svcd-muted">{say('guests.forgotten')}</span>,
      },
      {
        header: say('app.state'),
        cell: ({ state: is }) => <Badge tone={tones[is]}>{say(`guests.state.${is}`)}</Badge>,
      },
      {
        width: 'minmax(9.5rem, 1fr)',
        header: say('guests.created'),
        cell: ({ createdAt }) => format.dateTime(createdAt),
      },
      {
        width: 'minmax(9.5rem, 1fr)',
        header: say('app.valid-until'),
        cell: ({ expiresAt }) => format.dateTime(expiresAt),
      },
    ],
    [say, format],
  );
  const isFiltered = wanted !== '' || state !== 'all';
  return (
    <Section title={say('guests.links')} lead={say('guests.links-lead')}>
      <form
        className="svcd-guests-bar"
        onSubmit={(event) => {
          event.preventDefault();
          setWanted(typed.trim());
        }}
      >
        <TextField
          label={say('guests.search')}
          type="search"
          value={typed}
          onChange={(text) => {
            setTyped(text);
            if (text === '') setWanted('');
          }}
          autoComplete="off"
          maxLength={200}
        />
        <SelectField
          label={say('app.state')}
          value={state}
          onChange={setState}
          options={[
            { value: 'all', label: say('guests.state.all') },
            ...states.map((each) => ({ value: each, label: say(`guests.state.${each}`) })),
          ]}
        />
        <Button type="submit" icon={Search}>
          {say('guests.find')}
        </Button>
      </form>
      <DataTable
        label={say('guests.links-table')}
        columns={columns}
        rowKey={({ tokenId }) => tokenId}
        pages={pages}
        empty={
          isFiltered ? (
            <Empty title={say('guests.none-found')}>{say('guests.none-found-help')}</Empty>
          ) : (
            <Empty title={say('guests.no-links')} />
          )
        }
        {...(canChange
          ? {
              actions: (token: EnrolmentTokenResource) => (
                <LinkMenu
                  token={token}
                  canRenew={canRenew}
                  onRevoke={() => setRevoked(token)}
                  onRenew={() => setRenewed(token.ticketId)}
                />
              ),
            }
          : {})}
      />
      {revoked !== null && <RevokeDialog eventId={eventId} token={revoked} onClose={() => setRevoked(null)} />}
      {renewed !== null && <RenewDialog eventId={eventId} ticketId={renewed} onClose={() => setRenewed(null)} />}
    </Section>
  );
}

function LinkMenu(o: {
  readonly token: EnrolmentTokenResource;
  readonly canRenew: boolean;
  readonly onRevoke: () => void;
  readonly onRenew: () => void;
}) {
  const { ticketId, tokenId, state } = o.token;
  if (state !== 'valid' && ticketId === null) return null;
  return (
    <Menu
      label={say('guests.actions', { ticket: ticketId ?? tokenId })}
      entries={[
        {
          label: say('guests.renew'),
          icon: RefreshCw,
          isDisabled: !o.canRenew || ticketId === null,
          onPress: o.onRenew,
        },
        {
          label: say('app.revoke'),
          icon: Ban,
          kind: 'danger',
          isDisabled: state !== 'valid',
          onPress: o.onRevoke,
        },
      ]}
    />
  );
}

function RevokeDialog(o: {
  readonly eventId: string;
  readonly token: EnrolmentTokenResource;
  readonly onClose: () => void;
}) {
  const revoke = useAct('revokeEnrolmentToken', {
    onSuccess: () => {
      toast({ text: say('guests.revoked') });
      o.onClose();
    },
  });
  const params = { eventId: o.eventId, tokenId: o.token.tokenId };
  return (
    <Confirm
      onClose={o.onClose}
      title={say('guests.revoke-title')}
      action={say('app.revoke')}
      act={revoke}
      onConfirm={() => revoke.mutate({ params })}
    >
      <p>{say('guests.revoke-help', { ticket: o.token.ticketId ?? '' })}</p>
    </Confirm>
  );
}

/** Makes another link for a ticket and shows it, this once. */
function RenewDialog(o: { readonly eventId: string; readonly ticketId: string; readonly onClose: () => void }) {
  const [hours, setHours] = useState('168');
  const renew = useAct('createEnrolmentTokenBatch');
  const [link] = renew.data?.items ?? [];
  return (
    <Dialog
      isKept={link !== undefined}
      // The link in the answer is shown once, and the former one works no longer.
      onClose={renew.isPending ? () => undefined : o.onClose}
      title={say('guests.renew-title', { ticket: o.ticketId })}
      {...(link === undefined ? {} : { cancelLabel: say('app.close') })}
      actions={
        link === undefined && (
          <Button
            kind="primary"
            isBusy={renew.isPending}
            onPress={() =>
              renew.mutate({
                params: { eventId: o.eventId },
                body: { ticketIds: [o.ticketId], validForHours: Number(hours), ifLinked: 'replace' },
              })
            }
          >
            {say('guests.renew')}
          </Button>
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
          <Notice tone="warning">{say('guests.shown-once')}</Notice>
          <CopyField
            label={say('guests.file.link')}
            value={link.url}
            help={say('guests.valid-until-at', { at: format.dateTime(link.expiresAt) })}
          />
        </>
      )}
      {renew.error !== null && <Problem error={renew.error} />}
    </Dialog>
  );
}

/** How long links are valid. @param value hours */
export function ValiditySelect(o: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <SelectField
      label={say('guests.validity')}
      help={say('guests.validity-help')}
      value={o.value}
      onChange={o.onChange}
      options={[1, 3, 7, 14].map((days) => ({
        value: String(days * DAY_HOURS),
        label: say('app.days', { count: days }),
      }))}
    />
  );
}
