import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../api/hooks.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../components/button.tsx';
import { CheckField, NumberField, SelectField, TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Problem } from '../../components/problem.tsx';
import { draftStorage } from '../events/draft-storage.ts';
import { countryOptions } from '../events/event-fields.tsx';

interface ListDraft {
  readonly name: string;
  readonly country: string;
  readonly retainDays: number | null;
  readonly isCameraOnly: boolean;
  /** Of the request that was sent last, and its body: the same once more is the same list. */
  readonly sent: { readonly key: string; readonly body: string } | null;
}

/** A list without an event, in one form. What is typed survives a reload; a lost answer makes no second list. */
export function NewListPage() {
  const say = useSay();
  const api = useApi();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const { locale } = useFormat();
  const { account, user } = useSession();
  const storage = draftStorage<ListDraft>('list', account.accountId, user.userId);
  const [draft, setDraft] = useState<ListDraft>(
    () =>
      storage.load() ?? { name: '', country: account.country ?? '', retainDays: 365, isCameraOnly: false, sent: null },
  );
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [isTried, setTried] = useState(false);
  const change = (changes: Partial<ListDraft>) => {
    const next = { ...draft, ...changes };
    setDraft(next);
    storage.save(next);
  };
  const isNamed = draft.name.trim() !== '';
  const areDaysRight = draft.retainDays !== null && draft.retainDays >= 2 && draft.retainDays <= 1095;

  async function create(): Promise<void> {
    setTried(true);
    if (!isNamed || !areDaysRight || draft.retainDays === null) return;
    const body = {
      name: draft.name.trim(),
      ongoing: true as const,
      retainDays: draft.retainDays,
      ...(draft.country === '' ? {} : { country: draft.country }),
      ...(draft.isCameraOnly ? { photoSource: 'camera' as const } : {}),
    };
    const text = JSON.stringify(body);
    const key = draft.sent?.body === text ? draft.sent.key : crypto.randomUUID();
    change({ sent: { key, body: text } });
    setBusy(true);
    setError(null);
    try {
      const { listId } = await api.call('createList', { body, idempotencyKey: key });
      storage.clear();
      await cache.invalidateQueries({ queryKey: ['lists'] });
      await navigate({ to: `/lists/${listId}` as string });
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  }

  return (
    <>
      <PageHeader
        title={say('lists.new')}
        above={<Link to="/lists">{say('lists.title')}</Link>}
        lead={say('lists.new-lead')}
      />
      <form
        className="svcd-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <TextField
          label={say('lists.name')}
          help={say('lists.name-help')}
          value={draft.name}
          onChange={(name) => change({ name })}
          error={isTried && !isNamed ? say('events.fault-required') : undefined}
          isRequired
        />
        <SelectField
          label={say('events.country')}
          help={say('lists.country-help')}
          value={draft.country}
          onChange={(country) => change({ country })}
          options={[{ value: '', label: say('events.country-none') }, ...countryOptions(locale)]}
        />
        <NumberField
          label={say('lists.retain')}
          help={say('lists.retain-help')}
          value={draft.retainDays}
          onChange={(retainDays) => change({ retainDays })}
          error={areDaysRight ? undefined : say('lists.retain-range')}
        />
        <CheckField
          label={say('lists.camera-only')}
          help={say('lists.camera-only-help')}
          value={draft.isCameraOnly}
          onChange={(isCameraOnly) => change({ isCameraOnly })}
        />
        <Notice>{say('lists.fixed')}</Notice>
        {error !== null && <Problem error={error} />}
        <div className="svcd-row">
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {say('lists.create')}
          </Button>
        </div>
      </form>
    </>
  );
}
