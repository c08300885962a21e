import { contract, type MessageGroup, messagesOf } from '../schema.ts';
import { branchesOf, broken, sampleOf } from './samples.ts';

/** What a receiver makes of a text; `readMessage` of this package has the same words. */
type Reading = 'request' | 'answer' | 'failure' | 'event' | 'invalid-answer' | 'refused' | 'dropped';

/** One row of `messages.json`. README.md of the contract describes it. */
export interface MessageVector {
  readonly name: string;
  readonly from: 'shell' | 'page';
  /** A message as a value, or… */
  readonly message?: object;
  /** …a text as it comes, or… */
  readonly text?: string;
  /** …its parts, each so many times. */
  readonly parts?: readonly (readonly [text: string, times: number])[];
  readonly highestId?: number;
  readonly reads: Reading;
  readonly code?: 'message-invalid' | 'unknown-name' | 'version-unsupported';
}

export const SESSION = Buffer.alloc(16, 7).toString('base64url');
const OTHER = Buffer.alloc(16, 9).toString('base64url');

const sides: Readonly<Record<MessageGroup, readonly [from: 'shell' | 'page', kind: 'request' | 'answer' | 'event']>> = {
  ShellRequest: ['shell', 'request'],
  ShellAnswer: ['shell', 'answer'],
  PageRequest: ['page', 'request'],
  PageAnswer: ['page', 'answer'],
  PageEvent: ['page', 'event'],
};
const groups = Object.keys(sides) as MessageGroup[];

/** Every message with its smallest and its largest body, and with bodies of another form. */
function ofEveryName(): MessageVector[] {
  return groups.flatMap((group) => {
    const [from, kind] = sides[group];
    return messagesOf(group).flatMap(({ name, body }): MessageVector[] => {
      const opens = name === 'hello' ? { session: SESSION } : {};
      const envelope = { v: 1, session: SESSION, kind, ...(kind === 'event' ? {} : { id: 1 }), name };
      const vector = (what: string, content: unknown) => ({
        name: `${group} ${name}: ${what}`,
        from,
        message: { ...envelope, body: content },
      });
      const isRefused = { request: 'refused', answer: 'invalid-answer', event: 'dropped' } as const;
      const rows: MessageVector[] = [
        { ...vector('least', { ...(sampleOf(body, 'least') as object), ...opens }), reads: kind },
        { ...vector('most', { ...(sampleOf(body, 'most') as object), ...opens }), reads: kind },
        {
          ...vector('unknown members', { ...(sampleOf(body, 'most') as object), ...opens, later: { a: [1] } }),
          reads: kind,
        },
      ];
      for (const [what, content] of [...broken(body), ['a list', []], ['null', null]] as const) {
        rows.push({
          ...vector(what, content),
          reads: isRefused[kind],
          ...(kind === 'request' ? { code: 'message-invalid' } : {}),
        });
      }
      return rows;
    });
  });
}

/** Every outcome with each of its reasons, and pairs that do not belong together. */
function ofEveryBranch(): MessageVector[] {
  const answer = (name: string, body: unknown) => ({ v: 1, session: SESSION, kind: 'answer', id: 1, name, body });
  const results = branchesOf(contract.$defs.VerificationResult ?? {}, 'most');
  const wrong = [
    { ...results[0], reason: 'no-face' },
    { ...results[0], outcome: 'NoFace' },
    { ...results[0], admission: undefined },
    { ...results.find(({ outcome }) => outcome === 'NotEnrolled'), outcome: 'Match' },
    { ...results.at(-1), alreadyAdmittedAtMs: undefined },
  ];
  const syncs = branchesOf(contract.$defs.SyncResult ?? {}, 'most');
  const name = (what: string, { outcome, reason }: Record<string, unknown>) =>
    `${what} ${outcome ?? ''} ${reason ?? ''}`;
  const row = (of: string, what: string, result: object, reads: Reading): MessageVector => ({
    name: name(what, result as Record<string, unknown>),
    from: 'page',
    message: answer(of, { result }),
    reads,
  });
  return [
    ...results.map((result) => row('verify', 'result', result, 'answer')),
    ...wrong.map((result) => row('verify', 'no result', result, 'invalid-answer')),
    ...syncs.map((result) => row('sync', 'sync', result, 'answer')),
    row('sync', 'no sync', { ok: false, outcome: 'updated', listVersion: 1, people: 1 }, 'invalid-answer'),
    row('sync', 'no sync', { ok: true, outcome: 'wiped', reason: 'offline' }, 'invalid-answer'),
  ];
}

/** Rules of the envelope. */
function ofEnvelopes(): MessageVector[] {
  const request = { v: 1, session: SESSION, kind: 'request', id: 1, name: 'sync', body: {} };
  const text = JSON.stringify(request);
  const failure = { code: 'offline', message: 'no network' };
  const refused = (code: NonNullable<MessageVector['code']>) => ({ reads: 'refused', code }) as const;
  const dropped = { reads: 'dropped' } as const;
  const messages: readonly (readonly [
    what: string,
    message: object,
    result: Pick<MessageVector, 'reads' | 'code' | 'highestId'>,
  ])[] = [
    ['members that nobody knows', { ...request, later: true }, { reads: 'request' }],
    ['of another session', { ...request, session: OTHER }, dropped],
    ['of another session and version', { ...request, session: OTHER, v: 2 }, dropped],
    ['without a session', { ...request, session: undefined }, dropped],
    ['with a number as session', { ...request, session: 7 }, dropped],
    ['with a short session', { ...request, session: SESSION.slice(1) }, dropped],
    ['another version', { ...request, v: 2 }, refused('version-unsupported')],
    ['no version', { ...request, v: undefined }, refused('version-unsupported')],
    ['a text as version', { ...request, v: '1' }, refused('version-unsupported')],
    ['an unknown name', { ...request, name: 'explode' }, refused('unknown-name')],
    ['a name of the other side', { ...request, name: 'keyStore.mac', body: { message: '' } }, refused('unknown-name')],
    ['a name that every object has', { ...request, name: 'constructor' }, refused('unknown-name')],
    ['a name of another form', { ...request, name: 'key store' }, dropped],
    ['a name that is too long', { ...request, name: 'a'.repeat(65) }, dropped],
    ['no name', { ...request, name: undefined }, dropped],
    ['a number as name', { ...request, name: 1 }, dropped],
    ['no id', { ...request, id: undefined }, dropped],
    ['id 0', { ...request, id: 0 }, dropped],
    ['a negative id', { ...request, id: -1 }, dropped],
    ['a fraction as id', { ...request, id: 1.5 }, dropped],
    ['a text as id', { ...request, id: '1' }, dropped],
    ['an id above 2^53 − 1', { ...request, id: 2 ** 53 }, dropped],
    ['the highest id', { ...request, id: Number.MAX_SAFE_INTEGER }, { reads: 'request' }],
    ['the id of before', { ...request, id: 4 }, { ...refused('message-invalid'), highestId: 4 }],
    ['an id below that of before', { ...request, id: 3 }, { ...refused('message-invalid'), highestId: 4 }],
    ['an id above that of before, with a gap', { ...request, id: 9 }, { reads: 'request', highestId: 4 }],
    [
      'an unknown name with an id of before',
      { ...request, id: 4, name: 'explode' },
      { ...refused('message-invalid'), highestId: 4 },
    ],
    [
      'another version with an id of before',
      { ...request, id: 4, v: 2 },
      { ...refused('version-unsupported'), highestId: 4 },
    ],
    ['no body', { ...request, body: undefined }, refused('message-invalid')],
    ['a text as body', { ...request, body: '{}' }, refused('message-invalid')],
    ['an unknown kind', { ...request, kind: 'order' }, dropped],
    ['no kind', { ...request, kind: undefined }, dropped],
    ['a failure', { ...request, kind: 'failure', body: failure }, { reads: 'failure' }],
    [
      'a failure of a name that nobody knows',
      { ...request, kind: 'failure', name: 'explode', body: failure },
      { reads: 'failure' },
    ],
    [
      'a failure with an unknown code',
      { ...request, kind: 'failure', body: { ...failure, code: 'other' } },
      { reads: 'invalid-answer' },
    ],
    [
      'a failure without a message',
      { ...request, kind: 'failure', body: { code: 'offline' } },
      { reads: 'invalid-answer' },
    ],
    ['a failure of another version', { ...request, kind: 'failure', body: failure, v: 2 }, dropped],
    ['a failure without an id', { ...request, kind: 'failure', body: failure, id: undefined }, dropped],
    ['an answer to a request of its own', { ...request, kind: 'answer' }, dropped],
    ['an answer of an unknown name', { ...request, kind: 'answer', name: 'explode' }, dropped],
    ['an event of the shell', { ...request, kind: 'event', name: 'fault', body: failure }, dropped],
  ];
  const hello = {
    v: 1,
    session: OTHER,
    kind: 'event',
    name: 'hello',
    body: { minor: 0, sdkVersion: '1.0.0', session: OTHER },
  };
  const pageMessages: readonly (readonly [what: string, message: object, reads: Reading])[] = [
    ['hello begins another session', hello, 'event'],
    ['hello of a later minor version', { ...hello, body: { ...hello.body, minor: 7 } }, 'event'],
    ['hello of another version', { ...hello, v: 2 }, 'dropped'],
    ['hello with two sessions', { ...hello, session: SESSION }, 'dropped'],
    ['an event of an unknown name', { ...hello, session: SESSION, name: 'explode' }, 'dropped'],
    ['an event with an id', { v: 1, session: SESSION, kind: 'event', id: 3, name: 'fault', body: failure }, 'event'],
    ['an event of another session', { v: 1, session: OTHER, kind: 'event', name: 'fault', body: failure }, 'dropped'],
  ];
  const nested = (depth: number): MessageVector['parts'] => [
    [`${text.slice(0, -2)}"later":`, 1],
    ['[', depth],
    [']', depth],
    ['}}', 1],
  ];
  const padded = (bytes: number): MessageVector['parts'] => [
    [text, 1],
    [' ', bytes - text.length],
  ];
  const texts: readonly (readonly [what: string, parts: MessageVector['parts'], reads: Reading])[] = [
    ['nothing', [['', 1]], 'dropped'],
    ['no JSON', [['hello', 1]], 'dropped'],
    ['JSON and more', [[`${text} {}`, 1]], 'dropped'],
    ['half of a message', [[text.slice(0, 40), 1]], 'dropped'],
    ['a list of messages', [[`[${text}]`, 1]], 'dropped'],
    ['a text', [['"sync"', 1]], 'dropped'],
    ['null', [['null', 1]], 'dropped'],
    ['white space around it', [[` \r\n\t${text}\n`, 1]], 'request'],
    ['escapes in it', [[text.replace('"sync"', '"\\u0073ync"'), 1]], 'request'],
    ['1 MiB', padded(2 ** 20), 'request'],
    ['one byte more than 1 MiB', padded(2 ** 20 + 1), 'dropped'],
    [
      'more than 1 MiB in characters of three bytes',
      [
        [`${text.slice(0, -3)}{"later":"`, 1],
        ['€', 349_600],
        ['"}}', 1],
      ],
      'dropped',
    ],
    ['sixteen levels', nested(14), 'request'],
    ['seventeen levels', nested(15), 'dropped'],
    ['half a million levels', nested(500_000), 'dropped'],
  ];
  return [
    ...messages.map(([what, message, result]) => ({
      name: `envelope: ${what}`,
      from: 'shell' as const,
      message,
      ...result,
    })),
    ...pageMessages.map(([what, message, reads]) => ({
      name: `envelope: ${what}`,
      from: 'page' as const,
      message,
      reads,
    })),
    ...texts.map(([what, parts, reads]) => ({
      name: `text: ${what}`,
      from: 'shell' as const,
      parts: parts ?? [],
      reads,
    })),
  ];
}

/** `contract/vectors/messages.json`. */
export function messageVectors(): { readonly session: string; readonly vectors: readonly MessageVector[] } {
  return { session: SESSION, vectors: [...ofEnvelopes(), ...ofEveryName(), ...ofEveryBranch()] };
}
