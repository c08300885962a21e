/** Every number of the wire contract that more than one side has to agree on. Units are in the names. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Longest personId, in Unicode code points. */
export const MAX_PERSON_ID_CODE_POINTS = 200;
/** Longest event, list or device name, in Unicode code points. */
export const MAX_NAME_CODE_POINTS = 200;

/** Largest enrolment request: 15 MB read as 15 · 2²⁰ bytes. */
export const MAX_ENROLMENT_BODY_BYTES = 15 * 2 ** 20;
/** Largest body of every other request. */
export const MAX_JSON_BODY_BYTES = 64 * 2 ** 10;
/** Longest side, in pixels, at which a photo is processed. */
export const PROCESSING_LONGEST_SIDE_PX = 1280;

/** How far ahead of the server's clock a consent may claim to have been given. */
export const MAX_CONSENT_AHEAD_MS = 5 * MINUTE_MS;

/** Days that faces of an event's list are kept after the event's end. */
export const EVENT_RETAIN_DAYS = { min: 0, max: 30, default: 0 } as const;
/** Days that each face of an ongoing list is kept after its enrolment. */
export const ONGOING_RETAIN_DAYS = { min: 2, max: 1095, default: 365 } as const;

/** How long an enrolment token for the widget is valid. */
export const TOKEN_VALIDITY_MS = 30 * 60_000;
/** Hours that a guest link may be valid. */
export const GUEST_LINK_HOURS = { min: 1, max: 336 } as const;
/** Enrolment links that one request makes. */
export const MAX_LINKS_AT_ONCE = 100;
/** Photos of one enrolment besides the first. */
export const MAX_ADDITIONAL_IMAGES = 4;
/** Photos of one enrolment token that may turn out unusable. */
export const MAX_PHOTO_ATTEMPTS = 5;
/** Longest address of a privacy notice. */
export const MAX_URL_CHARS = 2048;

/** Page length of a collection. */
export const PAGE_LIMIT = { min: 1, max: 200, default: 50 } as const;
/** Longest cursor that is looked at; cursors are opaque to the caller. */
export const MAX_CURSOR_CHARS = 1024;

/** People on the bill that the pilot plan allows. */
export const PILOT_PLAN_PEOPLE = 500;

/** A device verifies this long after a sync, then stops until the next. */
export const LEASE_MS = 24 * HOUR_MS;
/** A sync of an ongoing list leaves out whoever is due for deletion within this time. */
export const WITHHOLD_BEFORE_MS = 24 * HOUR_MS;
/** A device that has not synced this long wipes everything. */
export const FULL_WIPE_MS = 30 * DAY_MS;
/** How often an SDK syncs. */
export const SYNC_INTERVAL_MS = 5 * MINUTE_MS;
/** How long it is known what was removed from a list; a device that comes from further back is sent the whole list. */
export const REMOVAL_MEMORY_MS = 31 * DAY_MS;
/** How long the hash of a dead device token is kept, so that its device can still be told to wipe. */
export const WIPE_TOMBSTONE_MS = 400 * DAY_MS;

/** Longest address of a webhook. */
export const MAX_WEBHOOK_URL_CHARS = 2048;
/** Webhooks of one account. */
export const MAX_WEBHOOKS = 20;
/** How long a webhook's former secret still signs beside the new one. */
export const FORMER_WEBHOOK_SECRET_MS = 24 * HOUR_MS;
/** How long a delivery can be read and replayed. */
export const WEBHOOK_DELIVERY_MS = 30 * DAY_MS;
