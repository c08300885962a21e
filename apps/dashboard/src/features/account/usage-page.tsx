import type { UsageResource } from '@svc/protocol';
import { useMemo } from 'react';
import { cache, SESSION_KEY } from '../../api/client.ts';
import { useAct, useCan, useRead, useSession } from '../../api/hooks.ts';
import { Facts, Figure, PageHeader, Section } from '../../components/blocks.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Form, useValues } from '../../components/form.tsx';
import { Notice, Progress, toast, Unread } from '../../components/status.tsx';
import { format, say, words } from '../../text/index.ts';
import { countryOptions } from '../../text/places.ts';

/** From this share of the plan on the page says that it is nearly full. */
const NEARLY = 0.9;

export function UsagePage() {
  const usage = useRead('getUsage');
  return (
    <>
      <PageHeader title={say('usage.title')} lead={say('usage.lead')} />
      {usage.error !== null || usage.data === undefined ? <Unread query={usage} /> : <Usage usage={usage.data} />}
      <Account />
    </>
  );
}

function Account() {
  const { account } = useSession();
  const before = { name: account.name, country: account.country ?? '' };
  const { values, bind } = useValues(before);
  const isReadOnly = !useCan()('account:write');
  const [none, ...countries] = useMemo(countryOptions, []);
  const update = useAct('updateAccount', {
    alsoChanges: ['lists'],
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: SESSION_KEY });
      toast({ text: say('app.saved') });
    },
  });
  const [name, country] = [values.name.trim(), values.country === '' ? null : values.country];
  return (
    <Section title={say('usage.account')}>
      <Form
        act={update}
        kind="secondary"
        action={say('app.save')}
        isReadOnly={isReadOnly}
        isDisabled={name === '' || (name === account.name && country === account.country)}
        onSubmit={() => update.mutate({ body: { name, country } })}
      >
        <TextField
          label={say('app.name-of')}
          help={say('app.shown-at-doors')}
          {...bind('name')}
          maxLength={200}
          isDisabled={isReadOnly}
        />
        <SelectField
          {...words('events.country')}
          {...bind('country')}
          options={[{ ...none, value: '', label: '–' }, ...countries]}
          isDisabled={isReadOnly}
        />
      </Form>
    </Section>
  );
}

function Usage({ usage }: { readonly usage: UsageResource }) {
  const { plan, peopleBilled, peopleLimit, period } = usage;
  const planName = plan ?? 'none';
  const left = peopleLimit === null ? null : Math.max(0, peopleLimit - peopleBilled);
  const share = peopleLimit === null || peopleLimit === 0 ? 0 : Math.min(1, peopleBilled / peopleLimit);
  return (
    <div className="svcd-stack">
      {plan === null && <Notice tone="bad" title={say('usage.no-plan')} text={say('usage.no-plan-help')} />}
      {plan !== null && left === 0 && (
        <Notice tone="bad" title={say('errors.plan-limit-reached')} text={say('usage.full-help')} />
      )}
      {left !== null && left > 0 && share >= NEARLY && (
        <Notice tone="warning" title={say('usage.nearly', { left })} text={say('usage.full-help')} />
      )}
      <Section title={say('usage.people')} lead={say('usage.people-help')}>
        <Figure of={peopleBilled} />
        {left !== null && plan !== null && (
          <Progress label={say('usage.of', { limit: format.number(peopleLimit ?? 0), left })} value={share} />
        )}
        <Facts
          facts={{
            'usage.plan': say(`usage.plan.${planName}`),
            'usage.limit':
              peopleLimit === null ? say('usage.no-limit') : say('usage.limit-people', { limit: peopleLimit }),
            'usage.period': say('usage.period-since', { since: format.date(period.startedAt) }),
          }}
        />
      </Section>
      <Section title={say('usage.counting')}>
        <ul className="svcd-bullets">
          <li>{say('usage.counting-1')}</li>
          <li>{say('usage.counting-2')}</li>
          <li>{say('usage.counting-3')}</li>
        </ul>
      </Section>
    </div>
  );
}
