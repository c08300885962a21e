/** Limits and durations of the wire contract that several programs share. Names carry the units. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Longest personId, in Unicode code points. */
export const MAX_PERSON_ID_CODE_POINTS = 200;
/** Longest event, list or device name, in Unicode code points. */
export const MAX_NAME_CODE_POINTS = 200;

/** Largest enrolment request: 15 MB, counted as 15 · 2²⁰ bytes. */
export const MAX_ENROLMENT_BODY_BYTES = 15 * 2 ** 20;
/** People in one batch of enrolments. */
export const MAX_ENROLMENTS_AT_ONCE = 100;
/** Largest body of such a batch: a hundred photos of the advised size, with room. */
export const MAX_ENROLMENTS_BODY_BYTES = 64 * 2 ** 20;
/** PersonIds in one request that erases or looks up. */
export const MAX_PERSON_IDS_AT_ONCE = 1_000;
/** Largest body of such a request: each personId of the greatest length, escaped in JSON. */
export const MAX_PERSON_IDS_BODY_BYTES = 3 * 2 ** 20;
/** Largest body of any other request. */
export const MAX_JSON_BODY_BYTES = 64 * 2 ** 10;
/** Largest body of widget settings, whose logo may have 512 kB. */
export const MAX_WIDGET_SETTINGS_BODY_BYTES = 2 ** 20;
/** Longest side, in pixels, at which a photo is processed. */
export const PROCESSING_LONGEST_SIDE_PX = 1280;

/** How far ahead of the server's clock a consent may claim to have been given. */
export const MAX_CONSENT_AHEAD_MS = 5 * MINUTE_MS;

/**
 * Days for which faces of an event's list are kept, and its devices work, after the event's end. `advised`: what people are
 * offered first, as with 0 an event that overruns loses its doors at the planned minute.
 */
export const EVENT_RETAIN_DAYS = { min: 0, max: 30, default: 0, advised: 1 } as const;
/** Days for which a face in an ongoing list is kept after its enrolment. */
export const ONGOING_RETAIN_DAYS = { min: 2, max: 1095, default: 365 } as const;

/** Validity of an enrolment token for the widget. */
export const TOKEN_VALIDITY_MS = 30 * 60_000;
/** Validity of a guest link in hours. */
export const GUEST_LINK_HOURS = { min: 1, max: 336 } as const;
/** Enrolment links per request. */
export const MAX_LINKS_AT_ONCE = 100;
/** Tickets in one batch of guest links. */
export const MAX_TICKETS_AT_ONCE = 10_000;
/** Largest body of a batch: each ticketId of the greatest length, escaped in JSON. */
export const MAX_TICKETS_BODY_BYTES = 12 * 2 ** 20;
/** Recipients of one mailing. */
export const MAX_RECIPIENTS_AT_ONCE = 10_000;
/** Largest body of a mailing: a batch's, and each address of the greatest length. */
export const MAX_MAILING_BODY_BYTES = 16 * 2 ** 20;
/** Longest subject and text of a mail's template, in Unicode code points. */
export const MAX_MAIL_SUBJECT_CODE_POINTS = 200;
export const MAX_MAIL_TEXT_CODE_POINTS = 5_000;
/** Languages for which a mailing may have templates of its own. */
export const MAX_MAIL_LANGUAGES = 40;
/** Mailings of an event, reminders included. */
export const MAX_MAILINGS = 200;
/** Photos of an enrolment in addition to the first. */
export const MAX_ADDITIONAL_IMAGES = 4;
/** Unusable photos allowed per enrolment token. */
export const MAX_PHOTO_ATTEMPTS = 5;
/** Longest URL of a privacy notice. */
export const MAX_URL_CHARS = 2048;

/** Largest logo that is read. */
export const MAX_LOGO_UPLOAD_BYTES = 512 * 2 ** 10;
/** Largest logo that is kept, as a PNG: its `data:` URL then has 64 kB. */
export const MAX_LOGO_BYTES = 48 * 2 ** 10;
/** The box, in pixels, into which logos are scaled; smaller ones stay as they are. */
export const LOGO_BOX_PX = { width: 480, height: 160 } as const;
/** Longest heading of an organiser, in Unicode code points. */
export const MAX_HEADING_CODE_POINTS = 80;
export const MAX_BENEFIT_CODE_POINTS = 140;
/** Longest place of an event. */
export const MAX_PLACE_CODE_POINTS = 140;
/** Languages in which an organiser's heading may be given. */
export const MAX_HEADINGS = 40;
/** Largest radius of the widget's corners. */
export const MAX_RADIUS_PX = 32;
/** Validity of a preview of the widget. */
export const PREVIEW_VALIDITY_MS = 30 * MINUTE_MS;

/** Page length of a collection. */
export const PAGE_LIMIT = { min: 1, max: 200, default: 50 } as const;
/** Longest accepted cursor, opaque to the caller: a sealed personId of 800 bytes, in base64url twice. */
export const MAX_CURSOR_CHARS = 2048;

/** Billed people allowed by the pilot plan. */
export const PILOT_PLAN_PEOPLE = 500;
/** What a test account may have: lists, and in each of them people, and devices that are not revoked. */
export const TEST_LIMITS = { lists: 20, peopleOfList: 100, devicesOfList: 5 } as const;

/**
 * How long a person of an ongoing list counts as let in. Longer than a visit, and shorter than the time from one day's
 * visit to an earlier one on the next day.
 */
export const ONGOING_WINDOW_MS = 12 * HOUR_MS;
/** Admissions in one request of a device, and in one answer to it. */
export const MAX_ADMISSIONS_SENT = 50;
export const MAX_ADMISSIONS_ANSWERED = 500;
/** How long a device verifies after a sync. */
export const LEASE_MS = 24 * HOUR_MS;
/** A sync of an ongoing list omits people who are due for deletion within this time. */
export const WITHHOLD_BEFORE_MS = 24 * HOUR_MS;
/** A device that has not synced for this long wipes everything. */
export const FULL_WIPE_MS = 30 * DAY_MS;
/** How often an SDK syncs. */
export const SYNC_INTERVAL_MS = 5 * MINUTE_MS;
/** A device that has not synced for this long has missed two syncs and is due. */
export const SYNC_DUE_MS = 3 * SYNC_INTERVAL_MS;
/** With no more than this left of its lease, a device is about to stop verifying. */
export const LEASE_WARNING_MS = 6 * HOUR_MS;
/** How long removals are remembered; a device with an older version receives the whole list. */
export const REMOVAL_MEMORY_MS = 31 * DAY_MS;
/** How long the hash of a revoked device token is kept, so that the device can still be told to wipe. */
export const WIPE_TOMBSTONE_MS = 400 * DAY_MS;

/** Arrivals are counted by so much of a device's trusted time, from multiples of it since 1970. */
export const ARRIVALS_BUCKET_MS = 5 * MINUTE_MS;
/** How long a device keeps its counts of arrivals, which it delivers at each sync. */
export const ARRIVALS_KEPT_MS = 7 * DAY_MS;
/** Most buckets in one report of arrivals: those of a day. */
export const MAX_ARRIVAL_BUCKETS = DAY_MS / ARRIVALS_BUCKET_MS;
/** Largest count of a bucket. */
export const MAX_ARRIVALS = 100_000;
/** While people may still come, counts are published in steps of at least so many. */
export const ARRIVALS_STEP = 5;
/** How long after the event's end counts of doors are told exactly. */
export const ARRIVALS_EXACT_AFTER_MS = 60 * MINUTE_MS;

/** Longest address that a list's devices send check-ins to. */
export const MAX_CHECK_IN_URL_CHARS = 2000;

/** Longest URL of a webhook. */
export const MAX_WEBHOOK_URL_CHARS = 2048;
/** API keys per account that are neither revoked nor expired. */
export const MAX_API_KEYS = 100;
/** Webhooks per account. */
export const MAX_WEBHOOKS = 20;
/** Notifications in one answer to who fetches them. */
export const MAX_PULLED_EVENTS = 20;
/** How long a webhook's former secret still signs in addition to the new one. */
export const FORMER_WEBHOOK_SECRET_MS = 24 * HOUR_MS;
/** How long a delivery can be read and replayed. */
export const WEBHOOK_DELIVERY_MS = 30 * DAY_MS;

/** Users of an account's dashboard. */
export const MAX_USERS = 500;
/** Passkeys of a user. */
export const MAX_PASSKEYS = 20;
/** Longest e-mail address (RFC 5321 section 4.5.3.1.3, without the angle brackets). */
export const MAX_EMAIL_CHARS = 254;
/** A session ends when it was not used for this long. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** A session ends this long after its person signed in, however much it is used. */
export const SESSION_MS = 14 * DAY_MS;
/** How long the end of a list can be taken back. */
export const END_UNDO_MS = 10 * MINUTE_MS;
/** How long after signing in, or confirming it, a person may do what needs a fresh sign-in. */
export const FRESH_MS = 10 * MINUTE_MS;
/** Validity of an invitation. */
export const INVITATION_MS = 7 * DAY_MS;
/** Validity of a link that signs in. */
export const SIGN_IN_LINK_MS = 15 * MINUTE_MS;
/** How long a passkey's challenge, or a sign-in with another provider, may take. */
export const CHALLENGE_MS = 5 * MINUTE_MS;
