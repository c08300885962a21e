/** Chapters of the reference with their descriptions, in order. */
export const tagDescriptions = {
  Events: 'What guests come to: a name, a time and a country. Lists, enrolment tokens and widget settings hang on it.',
  'Enrolment tokens':
    'One guest, one ticket, once: what the widget or a guest link carries. Made by the organiser’s server.',
  Mailings:
    'Guest links by mail: to many guests at once, each in the guest’s language, with reminders. Needs a mail server of the deployment.',
  Widget: 'What the page in the guest’s browser calls, with the guest’s enrolment token.',
  Lists: 'Who may be checked in by face. A list belongs to an event or is ongoing, and has devices of its own.',
  People: 'Enrolment from the organiser’s server, and what can be known and erased of a person. Never any face data.',
  Consents: 'The ledger: who consented to which wording, when, and until when. It outlives faces and lists.',
  Devices: 'Check-in devices of a list: add, see, revoke.',
  'Device sync': 'What a device’s SDK calls, with the device’s token.',
  Usage: 'People on the bill, what the plan allows, and who did what to the account.',
  'API keys':
    'Keys of the organiser’s servers: their rights, their end, their last use. A key can be created with its creator’s rights at most.',
  Users: 'The people of the organiser who use the dashboard: their roles, their invitations, their end.',
  Session:
    'Signing in to the dashboard, and what a signed-in person does with its own session. A browser’s matter: an API key is not taken here.',
  Live: 'A stream that tells a page what to read again.',
  Webhooks: 'Notifications to the organiser’s server, signed by the Standard Webhooks scheme.',
  Service: 'The document itself, and what a balancer asks.',
} as const;

export type TagName = keyof typeof tagDescriptions;
