import { SESSION } from './messages.ts';
import { sampleOf } from './samples.ts';

const NEXT = Buffer.alloc(16, 8).toString('base64url');

/** What becomes of a request. */
export type Settled = { readonly answer: unknown } | { readonly failure: string };

/** One thing that happens to a side, and all that it does then. */
export interface Step {
  /** A message comes, as a value or as a text. */
  readonly receive?: object | string;
  /** The side's own code asks; `as` names the request in `settles`. */
  readonly ask?: { readonly name: string; readonly body: unknown };
  readonly as?: string;
  /** A handler that was asked before gives its answer now; named by the request's id. */
  readonly handled?: { readonly id: number } & Settled;
  /** Messages that go out, in this order. A failure's message may be any. */
  readonly sends?: readonly object[];
  /** Requests of the side's own code that end, by their names. */
  readonly settles?: Readonly<Record<string, Settled>>;
}

/** One dialogue of `sessions.json`. README.md of the contract describes it. */
export interface SessionVector {
  readonly name: string;
  readonly side: 'shell' | 'page';
  /** What the side's handlers give, by the request's name: an answer's body, a failure's code, or nothing yet. */
  readonly handlers: Readonly<Record<string, Settled | 'later'>>;
  readonly steps: readonly Step[];
}

const envelope = (session: string, kind: string, name: string, body: unknown, id?: number) => ({
  v: 1,
  session,
  kind,
  ...(id === undefined ? {} : { id }),
  name,
  body,
});
const request = (id: number, name: string, body: unknown = {}, session = SESSION) =>
  envelope(session, 'request', name, body, id);
const answer = (id: number, name: string, body: unknown = {}, session = SESSION) =>
  envelope(session, 'answer', name, body, id);
const failure = (id: number, name: string, code: string, session = SESSION) =>
  envelope(session, 'failure', name, { code, message: 'why' }, id);
const hello = (session = SESSION) => envelope(session, 'event', 'hello', { minor: 0, sdkVersion: '1.0.0', session });

const has = { has: true };
const offline = { result: { ok: false, reason: 'offline' } };
const match = { result: sampleOf('VerificationResult', 'least') };
const verify = { attempt: Buffer.alloc(16, 1).toString('base64url'), scannedId: 'ticket', headTurn: 'asked' };
const deviceKey = 'keyStore.hasDeviceKey';

/** Rules that both sides keep, told for one of them. */
function ofBothSides(side: 'shell' | 'page'): SessionVector[] {
  const isShell = side === 'shell';
  const [asked, body, good] = isShell ? ['sync', {}, offline] : [deviceKey, {}, has];
  const [served, gives] = isShell ? [deviceKey, has] : ['sync', offline];
  const handlers = { [served]: { answer: gives } };
  const begins: Step = isShell ? { receive: hello() } : { sends: [hello()] };
  const dialogue = (
    name: string,
    steps: readonly Step[],
    own: SessionVector['handlers'] = handlers,
  ): SessionVector => ({
    name,
    side,
    handlers: own,
    steps: [begins, ...steps],
  });
  const asks = (id: number, as: string): Step => ({
    ask: { name: asked, body },
    as,
    sends: [request(id, asked, body)],
  });
  return [
    dialogue('asks and is answered', [
      asks(1, 'one'),
      { receive: answer(1, asked, good), settles: { one: { answer: good } } },
      asks(2, 'two'),
      { receive: failure(2, asked, 'storage-failed'), settles: { two: { failure: 'storage-failed' } } },
    ]),
    dialogue('is asked and answers', [{ receive: request(1, served), sends: [answer(1, served, gives)] }]),
    dialogue('answers come in another order', [
      asks(1, 'one'),
      asks(2, 'two'),
      { receive: answer(2, asked, good), settles: { two: { answer: good } } },
      { receive: answer(1, asked, good), settles: { one: { answer: good } } },
    ]),
    dialogue('an answer comes twice', [
      asks(1, 'one'),
      { receive: answer(1, asked, good), settles: { one: { answer: good } } },
      { receive: answer(1, asked, good) },
      { receive: failure(1, asked, 'offline') },
    ]),
    dialogue('answers that nobody waits for', [
      { receive: answer(1, asked, good) },
      asks(1, 'one'),
      { receive: answer(2, asked, good) },
      {
        receive: answer(
          1,
          isShell ? 'status' : 'keyStore.hasAdmissionKey',
          isShell ? { status: sampleOf('DeviceStatus', 'least') } : has,
        ),
      },
      { receive: answer(1, asked, good, NEXT) },
      { receive: { ...answer(1, asked, good), v: 2 } },
      { receive: answer(1, asked, good), settles: { one: { answer: good } } },
    ]),
    dialogue('an answer of another form', [
      asks(1, 'one'),
      { receive: answer(1, asked, { result: 'yes', has: 'yes' }), settles: { one: { failure: 'message-invalid' } } },
      { receive: answer(1, asked, good) },
    ]),
    dialogue('a failure of another form', [
      asks(1, 'one'),
      {
        receive: envelope(SESSION, 'failure', asked, { code: 'because', message: 'why' }, 1),
        settles: { one: { failure: 'message-invalid' } },
      },
    ]),
    dialogue('a request comes twice', [
      { receive: request(3, served), sends: [answer(3, served, gives)] },
      { receive: request(3, served), sends: [failure(3, served, 'message-invalid')] },
      { receive: request(2, served), sends: [failure(2, served, 'message-invalid')] },
      { receive: request(4, served), sends: [answer(4, served, gives)] },
    ]),
    dialogue('a refused request uses its id up, one of another version does not', [
      { receive: { ...request(1, served), v: 2 }, sends: [failure(1, served, 'version-unsupported')] },
      { receive: request(1, served), sends: [answer(1, served, gives)] },
      { receive: request(2, 'explode'), sends: [failure(2, 'explode', 'unknown-name')] },
      { receive: request(2, served), sends: [failure(2, served, 'message-invalid')] },
      { receive: request(3, served, []), sends: [failure(3, served, 'message-invalid')] },
      { receive: request(3, served), sends: [failure(3, served, 'message-invalid')] },
      { receive: request(4, served), sends: [answer(4, served, gives)] },
    ]),
    dialogue('texts that are no message', [
      ...['', 'null', '[]', '{', '"hello"', JSON.stringify({ ...request(1, served), session: NEXT })].map(
        (receive) => ({ receive }),
      ),
      { receive: request(1, served), sends: [answer(1, served, gives)] },
    ]),
    dialogue(
      'handlers end in another order, and fail',
      [
        { receive: request(1, served) },
        { receive: request(2, served) },
        { handled: { id: 2, failure: 'storage-failed' }, sends: [failure(2, served, 'storage-failed')] },
        { handled: { id: 1, answer: gives }, sends: [answer(1, served, gives)] },
      ],
      { [served]: 'later' },
    ),
  ];
}

/** Sessions begin and end on the shell's side. */
const ofShells: readonly SessionVector[] = [
  {
    name: 'nothing is taken before hello',
    side: 'shell',
    handlers: { [deviceKey]: { answer: has } },
    steps: [
      { receive: request(1, deviceKey) },
      { receive: envelope(SESSION, 'event', 'fault', { code: 'runtime-failed', message: 'why' }) },
      { receive: { ...hello(), v: 2 } },
      { receive: { ...hello(), session: NEXT } },
      { receive: request(1, deviceKey) },
      { receive: hello() },
      { receive: request(1, deviceKey), sends: [answer(1, deviceKey, has)] },
    ],
  },
  {
    name: 'hello comes twice',
    side: 'shell',
    handlers: { [deviceKey]: { answer: has } },
    steps: [
      { receive: hello() },
      { receive: request(1, deviceKey), sends: [answer(1, deviceKey, has)] },
      { ask: { name: 'sync', body: {} }, as: 'sync', sends: [request(1, 'sync')] },
      { receive: hello() },
      { receive: request(1, deviceKey), sends: [failure(1, deviceKey, 'message-invalid')] },
      { receive: answer(1, 'sync', offline), settles: { sync: { answer: offline } } },
    ],
  },
  {
    name: 'the page is loaded anew while it verifies',
    side: 'shell',
    handlers: { [deviceKey]: { answer: has } },
    steps: [
      { receive: hello() },
      { ask: { name: 'verify', body: verify }, as: 'verify', sends: [request(1, 'verify', verify)] },
      { receive: hello(NEXT), settles: { verify: { failure: 'renderer-gone' } } },
      { receive: answer(1, 'verify', match) },
      { receive: answer(1, 'verify', match, NEXT) },
      { receive: request(1, deviceKey, {}, NEXT), sends: [answer(1, deviceKey, has, NEXT)] },
      { ask: { name: 'sync', body: {} }, as: 'sync', sends: [request(1, 'sync', {}, NEXT)] },
      { receive: answer(1, 'verify', match, NEXT) },
      { receive: answer(1, 'sync', offline, NEXT), settles: { sync: { answer: offline } } },
    ],
  },
  {
    name: 'a handler ends after its session did',
    side: 'shell',
    handlers: { [deviceKey]: 'later' },
    steps: [
      { receive: hello() },
      { receive: request(1, deviceKey) },
      { receive: hello(NEXT) },
      { handled: { id: 1, answer: has } },
    ],
  },
  {
    name: 'a match is an answer to this attempt alone',
    side: 'shell',
    handlers: {},
    steps: [
      { receive: hello() },
      { ask: { name: 'verify', body: verify }, as: 'verify', sends: [request(1, 'verify', verify)] },
      { receive: request(1, 'verify', match), sends: [failure(1, 'verify', 'unknown-name')] },
      { receive: envelope(SESSION, 'event', 'verify', match) },
      { receive: answer(1, 'sync', match) },
      { receive: answer(2, 'verify', match) },
      { receive: answer(1, 'verify', match, NEXT) },
      { receive: failure(1, 'verify', 'busy'), settles: { verify: { failure: 'busy' } } },
      { receive: answer(1, 'verify', match) },
    ],
  },
];

/** `contract/vectors/sessions.json`. */
export function sessionVectors(): { readonly session: string; readonly dialogues: readonly SessionVector[] } {
  return { session: SESSION, dialogues: [...ofBothSides('shell'), ...ofShells, ...ofBothSides('page')] };
}
