import { newUuid } from '@svc/page-kit';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, cache } from '../../api/client.ts';
import { useSession, useTask } from '../../api/hooks.ts';
import { PageHeader } from '../../components/blocks.tsx';
import { Link } from '../../components/controls.tsx';
import { useDraftStorage } from '../../components/draft-storage.ts';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { binder, Form } from '../../components/form.tsx';
import { Notice } from '../../components/status.tsx';
import { say, words } from '../../text/index.ts';
import { countryOptions } from '../../text/places.ts';
import { type ListPolicies, policiesOf } from './consequences.tsx';
import { AttendanceField } from './list-settings.tsx';

interface ListDraft extends Omit<ListPolicies, 'retainDays'> {
  readonly name: string;
  readonly country: string;
  readonly retainDays: number | null;
  /** Of the request that was sent last, and its body: the same once more is the same list. */
  readonly sent: { readonly key: string; readonly body: string } | null;
}

/** A list without an event, in one form. What is typed survives a reload; a lost answer makes no second list. */
export function NewListPage() {
  const navigate = useNavigate();
  const { account } = useSession();
  const storage = useDraftStorage<ListDraft>('list');
  const [draft, setDraft] = useState<ListDraft>(
    () =>
      storage.load() ?? { name: '', country: account.country ?? '', retainDays: 365, isCameraOnly: false, sent: null },
  );
  const [isTried, setTried] = useState(false);
  const change = (changes: Partial<ListDraft>) => {
    const next = { ...draft, ...changes };
    setDraft(next);
    storage.save(next);
  };
  const bind = binder(draft, change);
  const name = draft.name.trim();
  const { retainDays, country } = draft;
  const areDaysRight = retainDays !== null && retainDays >= 2 && retainDays <= 1095;

  const create = useTask(
    (o: Parameters<typeof api.call<'createList'>>[1]) => api.call('createList', o),
    async ({ listId }) => {
      storage.clear();
      await cache.invalidateQueries({ queryKey: ['lists'] });
      await navigate({ to: `/lists/${listId}` as string });
    },
  );

  function submit(): void {
    setTried(true);
    if (name === '' || !areDaysRight) return;
    const body = {
      ...{ name, ongoing: true as const, ...policiesOf({ ...draft, retainDays }) },
      ...(country === '' ? {} : { country }),
    };
    const text = JSON.stringify(body);
    const key = draft.sent?.body === text ? draft.sent.key : newUuid();
    change({ sent: { key, body: text } });
    create.mutate({ body, idempotencyKey: key });
  }

  return (
    <>
      <PageHeader
        title={say('lists.new')}
        above={<Link to="/lists">{say('lists.title')}</Link>}
        lead={say('lists.new-lead')}
      />
      <Form act={create} action={say('events.step-list')} onSubmit={submit}>
        <TextField
          label={say('app.name-of')}
          help={say('app.shown-at-doors')}
          {...bind('name')}
          error={isTried && name === '' ? say('events.fault-required') : undefined}
          isRequired
        />
        <SelectField
          label={say('events.country')}
          help={say('lists.country-help')}
          {...bind('country')}
          options={countryOptions()}
        />
        <TextField
          {...words('lists.retain')}
          inputMode="numeric"
          value={String(retainDays ?? '')}
          onChange={(text) => change({ retainDays: Number.parseInt(text.slice(0, 9), 10) || null })}
          error={areDaysRight ? undefined : say('lists.retain-range')}
        />
        <CheckField {...words('lists.camera-only')} {...bind('isCameraOnly')} />
        <Notice text={say('lists.fixed')} />
        <AttendanceField {...bind('attendance')} />
      </Form>
    </>
  );
}
