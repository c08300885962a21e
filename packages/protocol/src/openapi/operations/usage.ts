import { type Operation, PAGE, page } from '../operation.ts';

const usage = {
  plan: 'pilot',
  period: { number: 1, startedAt: '2026-05-01T08:15:00.000Z' },
  peopleBilled: 412,
  peopleLimit: 500,
} as const;

const entry = {
  id: '01970aa7-7800-7083-9a2c-5f1d3e4b6a70',
  recordedAt: '2026-05-01T18:30:00.000Z',
  actor: { kind: 'api-key', keyId: 'key_01jwnafy00e2rbg3vfk4s6q9tz' },
  action: 'list.close',
  target: 'lst_01jwnafy00e2rbg3vfk4s6q9tz',
} as const;

export const usageOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/usage',
    operationId: 'getUsage',
    tag: 'Usage',
    summary: 'Read what is on the bill',
    description:
      'A distinct personId is one person on the bill of the plan’s period, however often and in how many lists enrolled. Erasing the face does not give the place back; a new period starts a new count.',
    security: 'apiKey',
    success: { status: 200, description: 'plan, period, people billed and limit', schema: 'Usage', example: usage },
    errors: [],
  },
  {
    method: 'get',
    path: '/v1/audit-log',
    operationId: 'listAuditEntries',
    tag: 'Usage',
    summary: 'Read who did what to the account',
    description:
      'Every administrative act on the account and what is in it, by its own API keys and by the operator of the service, newest first. Never changed, never removed; people are not named in it.',
    security: 'apiKey',
    parameters: [
      ...page,
      {
        name: 'since',
        in: 'query',
        required: false,
        description: 'leaves out what is older; ISO 8601 in UTC, ending in Z',
        schema: { type: 'string', format: 'date-time' },
      },
    ],
    success: {
      status: 200,
      description: 'a page of acts',
      schema: 'AuditEntryCollection',
      example: { items: [entry], nextCursor: null },
    },
    errors: [...PAGE],
  },
];
