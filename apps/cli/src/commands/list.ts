import type { Admin } from '@svc/api';
import {
  arrivalsPolicies,
  attendances,
  createListRequestSchema,
  EVENT_RETAIN_DAYS,
  headTurnAlternatives,
  reEntryPolicies,
  reEntryScopes,
  updateListRequestSchema,
  validateBody,
} from '@svc/protocol';
import { type Command, Option } from 'commander';
import { everything } from '../deployment.ts';
import { facts, type Given, operationsOf, optional, required } from './operation.ts';
import { type MetadataOption, metadataOption, name, requireValid, wholeNumber } from './options.ts';

type List = Awaited<ReturnType<Admin['lists']['show']>>;

interface NewList extends MetadataOption {
  readonly name: string;
  readonly event?: string;
  readonly ongoing?: true;
  readonly country?: string;
  readonly retainDays?: number;
  readonly attendance?: string;
  readonly arrivals?: string;
}

interface ListChange extends MetadataOption {
  readonly name?: string;
  readonly reEntry?: string;
  readonly reEntryScope?: string;
  readonly headTurn?: string;
  readonly attendance?: string;
  readonly arrivals?: string;
  /** False for `--no-check-in-url`. */
  readonly checkInUrl?: string | false;
}

function stateOf(list: List): string {
  if (list.endedAt !== null) return 'ended';
  return list.enrollmentClosedAt === null ? 'open' : 'closed';
}

const shown = (list: List): string =>
  facts({
    list: list.listId,
    name: list.name,
    state: stateOf(list),
    event: list.eventId ?? 'ongoing',
    consent: list.consentVersion,
    're-entry': list.reEntry,
    're-entry scope': list.reEntryScope,
    doors: list.attendance,
    arrivals: list.arrivals,
    'head turn': list.headTurnAlternative,
    'check-ins': list.checkInUrl ?? 'not sent',
    deadline: list.retentionDeadline ?? `${list.retainDays} days after each enrolment`,
  });

const attendanceOption = () => optional('--attendance <who>', 'whether staff watch the doors').choices(attendances);
const arrivalsOption = () =>
  optional('--arrivals <policy>', 'whether devices count arrivals').choices(arrivalsPolicies);

export function registerList(program: Command): void {
  const list = operationsOf(program.command('list').description('Guest lists of an account.'), [
    required('--account <id>', 'account the list belongs to'),
  ]);
  list({
    usage: 'create',
    does: 'Creates a list for an event, or an ongoing one, and prints its ID.',
    options: [
      required('--name <name>', 'name of the list', name),
      new Option('--event <id>', 'event the list belongs to').conflicts('ongoing'),
      new Option('--ongoing', 'for members or season tickets: each face has its own deadline'),
      optional('--country <code>', 'country whose law decides the consent wording, ISO 3166-1 alpha-2'),
      optional('--retain-days <days>', 'days to keep faces: after the event (1) or enrolment (365)', wholeNumber),
      attendanceOption(),
      arrivalsOption(),
      metadataOption(),
    ],
    request({ name, event: eventId, ongoing, country, attendance, arrivals, ...given }: Given & NewList) {
      const retainDays = given.retainDays ?? (eventId === undefined ? undefined : EVENT_RETAIN_DAYS.advised);
      const { metadata } = given;
      const asked = {
        name,
        eventId,
        ongoing,
        country: country?.toUpperCase(),
        retainDays,
        attendance,
        arrivals,
        metadata,
      };
      return requireValid(validateBody(createListRequestSchema, asked), 'the list');
    },
    run: ({ lists }, { account }, asked) => lists.create(account, asked),
    text: ({ listId }) => listId,
    remark: ({ listId, eventId, retainDays, consentVersion }) => [
      `list ${listId}: consent version ${consentVersion}`,
      ...(eventId === null || retainDays > 0 ? [] : [`list ${listId}: doors stop at the planned end of its event`]),
    ],
  });
  list({
    usage: 'list',
    does: 'Lists the lists, newest first.',
    run: ({ lists }, { account }) => everything((page) => lists.page(account, page)),
    columns: {
      list: 'listId',
      state: stateOf,
      consent: 'consentVersion',
      deadline: 'retentionDeadline',
      name: 'name',
    },
  });
  list({
    usage: 'show <id>',
    does: 'Shows a list.',
    run: ({ lists }, { account, id }) => lists.show(account, id),
    text: shown,
  });
  list({
    usage: 'update <id>',
    does: 'Renames a list, or changes what its devices do, from their next sync on.',
    options: [
      optional('--name <name>', 'name of the list', name),
      optional('--re-entry <policy>', 'for people who have already been let in').choices(reEntryPolicies),
      optional('--re-entry-scope <who>', 'let in by the same device, or any device of the list').choices(reEntryScopes),
      optional('--head-turn <instead>', 'for people who cannot turn their head').choices(headTurnAlternatives),
      attendanceOption(),
      arrivalsOption(),
      optional('--check-in-url <url>', 'where devices send check-ins; its origin must be in SVC_CHECK_IN_ORIGINS'),
      optional('--no-check-in-url', 'devices send no check-ins'),
      metadataOption(),
    ],
    request({ name, headTurn: headTurnAlternative, attendance, arrivals, ...given }: Given & ListChange) {
      const checkInUrl = given.checkInUrl === false ? null : given.checkInUrl;
      const { reEntry, reEntryScope, metadata } = given;
      const changes = { name, reEntry, reEntryScope, headTurnAlternative, attendance, arrivals, checkInUrl, metadata };
      return requireValid(validateBody(updateListRequestSchema, changes), 'the change');
    },
    run: ({ lists }, { account, id }, changes) => lists.update(account, id, changes),
    text: shown,
  });
  list({
    usage: 'rotate-check-in-secret <id>',
    does: 'Creates or replaces the secret that signs check-ins, and prints it. It cannot be shown again.',
    run: async ({ lists }, { account, id }) => ({ listId: id, secret: await lists.rotateCheckInSecret(account, id) }),
    text: ({ secret }) => secret,
    remark: ({ listId }) => `list ${listId}: its secret is shown only once, save it now`,
  });
  for (const [act, usage, does] of [
    ['close', 'close', 'Closes enrolment permanently. People already enrolled stay until the deadline.'],
    ['end', 'end', 'Ends the list: no one else can be enrolled.'],
    ['undoEnd', 'undo-end', 'Undoes an end, within ten minutes.'],
  ] as const) {
    list({
      usage: `${usage} <id>`,
      does,
      run: ({ lists }, { account, id }) => lists[act](account, id),
      remark: (moved) => `list ${moved.listId}: ${stateOf(moved)}`,
    });
  }
  list({
    usage: 'delete <id>',
    does: 'Destroys the keys of a list, then everything else in it. Its devices wipe their copies.',
    run: ({ lists }, { account, id }) => lists.delete(account, id),
    destroys: ({ id }) => `deletes list ${id} and every face on it`,
    done: 'deleted',
  });
}
