import type { UsageResource } from '@svc/protocol';
import { useRead, useSession } from '../../api/hooks.ts';
import { Facts, Figure, PageHeader, Section } from '../../components/blocks.tsx';
import { Notice, Progress, Unread } from '../../components/status.tsx';
import { format, say } from '../../text/index.ts';

/** From this share of the plan on the page says that it is nearly full. */
const NEARLY = 0.9;

export function UsagePage() {
  const usage = useRead('getUsage');
  return (
    <>
      <PageHeader title={say('usage.title')} lead={say('usage.lead')} />
      {usage.error !== null || usage.data === undefined ? <Unread query={usage} /> : <Usage usage={usage.data} />}
    </>
  );
}

function Usage({ usage }: { readonly usage: UsageResource }) {
  const { account } = useSession();
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
            'usage.account': account.name,
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
