/** One row of the error table; its texts apply to every occurrence of the code. */
export interface ErrorDefinition {
  readonly status: number;
  /** `title` of the problem: short, constant. */
  readonly title: string;
  /** Meaning and remedy; a paragraph of the error reference. */
  readonly meaning: string;
  /** True if the unchanged request may succeed later. */
  readonly retryable: boolean;
}

/** Errors of one status. @param texts by code; the first sentence is the title, the rest the meaning */
function rows<Code extends string>(status: number, texts: Readonly<Record<Code, string>>, retryable = false) {
  const definitions = Object.entries<string>(texts).map(([code, text]): [string, ErrorDefinition] => {
    const end = text.indexOf('. ');
    return [code, { status, title: text.slice(0, end), meaning: text.slice(end + 2), retryable }];
  });
  return Object.fromEntries(definitions) as Readonly<Record<Code, ErrorDefinition>>;
}

/** Every error of the API by its stable code. A code is never renamed and its status never changes. */
export const errorTable = {
  ...rows(400, {
    'invalid-json': 'The body is not JSON. The body could not be read as JSON in UTF-8. Send one JSON object.',
    'invalid-request':
      'The request is not valid. A field or parameter breaks its rule. `errors[]` names each one, fields of the body by JSON pointer (RFC 6901). Consent is part of it: a box that is not ticked (`explicitBiometricConsent`, `writtenRelease`, and `guardianConsent` for people under 16) is refused here, before the photo is looked at.',
    'unknown-parameter':
      'A member or parameter is not known. The body holds a member, or the query a parameter, that the operation does not have; `errors[]` names each. Nothing was carried out: what is misspelt would otherwise be left out. Names longer than 64 characters or of other characters than letters, digits, `_`, `.`, `$` and `-` are not repeated.',
    'image-invalid':
      'The image is not a readable JPEG or PNG. `reason` says why: `format`, the decoded bytes are neither JPEG nor PNG (`measured` is the media type of another picture); `dimensions`, larger or more oblong than any photo that is decoded: `measured` pixels, pixels on a side or times as long as wide, above `limit` (25 million pixels, 50 million for a baseline JPEG; 16,384 on a side; ten times as long as wide); `damaged`, cut off or broken; `time`, it takes too long to decode: `measured` scans above `limit`, or without `measured` more than `limit` seconds.',
    'logo-invalid':
      'The logo is not a readable PNG or JPEG. `reason`, `measured` and `limit` say why, as those of `image-invalid`, by the same limits. SVG is not taken: it may hold scripts. Nothing was changed.',
    'device-key-invalid':
      'The device key is missing or not a P-256 point. `Svc-Device-Key` must be an uncompressed P-256 point (65 bytes, on the curve) in base64url without padding.',
    'nonce-invalid':
      'The nonce is missing or not 16 bytes. `Svc-Nonce` must be 16 fresh random bytes in base64url without padding.',
  }),
  ...rows(401, {
    'missing-credential':
      'A credential is needed. The request carries no credential. The endpoint’s reference says which kind it takes.',
    'invalid-credential':
      'The credential is not valid. The credential is mistyped, unknown, expired or revoked. A device never wipes anything because of it.',
    'wrong-credential':
      'This kind of credential is not accepted here. A credential of another kind was presented: an API key on a device’s endpoint, a device token on the organiser’s, or either in the other’s header.',
    'token-expired':
      'The enrolment token has expired. Its time is over. Ask the organiser for a new link, or reload the page that shows the widget.',
    'token-used':
      'The enrolment token has been used. The guest was enrolled or declined with it, or was enrolled with another token for the same ticket. A retry of the request that used it gets its answer again only with the same `Idempotency-Key`.',
    'token-exhausted':
      'The enrolment token has no attempts left. Five photos of this token were unusable. Ask the organiser for another one, or use the standard entrance.',
    'sign-in-failed':
      'The passkey did not sign in. The passkey is not known here, belongs to a user who cannot sign in, or its answer does not fit the challenge, which works once and for five minutes. Try again, or ask for a link by mail or a new invitation.',
    'link-invalid':
      'The link does not work any more. A link signs in once: an invitation for seven days, a link by mail for fifteen minutes, and neither after a newer invitation; the first owner’s link for an hour, while nobody can sign in. Ask for another one.',
    'account-suspended':
      'The account is suspended. The credential is right, but its account is suspended. Devices of the account are told to wipe.',
  }),
  ...rows(402, {
    'no-plan': 'The account has no plan. Nobody can be enrolled without a plan. Choose one first.',
    'plan-limit-reached':
      'The plan does not allow more people. Every distinct personId of the account takes one place of the plan for its period; erasing a face does not give the place back. Replacing the face of somebody already counted never meets this limit.',
    'test-limit-reached':
      'The test account has as much as it may have. A test account may have 20 lists, and in each of them 100 people and 5 devices. Delete what is not needed any more, or use a live account.',
  }),
  ...rows(403, {
    'insufficient-scope':
      'The API key or the role lacks the right. The key is valid, but was made for fewer rights than the operation needs, or the person’s role does not have it; the operation’s reference names the scope. Nothing was carried out. Use another key or create one with this scope; a person asks an owner.',
    'reauthentication-required':
      'The person has to confirm that it is them. The operation, or a field of its body, needs a sign-in of the last ten minutes (to add devices, of role `door`, of the last hour). Nothing was carried out. Confirm with a passkey (`reauthenticate`) or sign in again, and repeat the request.',
    'csrf-token-invalid':
      'The CSRF token is missing or not the session’s. Everything that changes something in the name of a signed-in person carries `X-Csrf-Token`, as `GET /v1/session` tells it. Nothing was carried out. A server uses an API key, which needs none.',
    'foreign-page':
      'The request comes from a page of another origin. `Origin` or `Sec-Fetch-Site` says that a page elsewhere sent this request with a person’s cookie, or tried to sign in. Nothing was carried out. Only the dashboard of this deployment may (`SVC_DASHBOARD_URL`).',
  }),
  ...rows(404, {
    'not-found':
      'No such resource. There is nothing at this address, or it belongs to somebody else; the two are not told apart. `detail` names what is missing, a list for example.',
  }),
  ...rows(405, {
    'method-not-allowed':
      'The method is not allowed here. The address exists, the method does not. `Allow` names those that do.',
  }),
  ...rows(
    408,
    {
      'request-timeout':
        'The request did not arrive in time. A body has to arrive within 60 seconds, and 10 KiB of it, or the rest, in any 10 seconds. The connection is closed. Send a smaller photo, or the same request again over a better connection.',
    },
    true,
  ),
  ...rows(409, {
    'consent-version-mismatch':
      'The consent version is not the list’s. `consent.consentVersion` must equal the list’s `consentVersion`. Read the list, show the person the current wording, and send that version.',
    'enrolment-closed':
      'Enrolment is closed for the list. Enrolment was closed; that is permanent. People already enrolled stay until they are deleted as usual.',
    'list-ended':
      'The list has ended. The list was ended, or its time is over: nobody can be enrolled. Past its retention deadline no device can be added either.',
    'event-has-list':
      'The event has a list. An event has one list: use it, or create an ongoing one. An event cannot be deleted before its list is.',
    'list-without-event':
      'The list has no event. Enrolment links belong to an event, whose end they do not outlast, and an ongoing list has none. Its people enrol again through the organiser’s server.',
    'event-without-list':
      'The event has no list. Enrolment tokens enrol into the list of their event. Create it first.',
    'event-ended':
      'The event is over. The time for this has passed: no list can be created for an event whose retention deadline lies behind, no enrolment token for one that has ended, and an end cannot be moved when the list’s retention deadline has passed or would have. To have the faces deleted now, delete the list.',
    'widget-settings-missing':
      'The event has no widget settings. The widget shows guests who the organiser is and where its privacy notice is. Set both before creating enrolment tokens.',
    'camera-required':
      'The list takes photos of the page’s camera alone. The list’s `photoSource` is `camera`: `photoSource` of the request has to say that the photo was taken by the camera of the page that asked for it, under the eyes of whoever it shows, and not chosen as a file.',
    'preview-only':
      'The token is of a preview. It shows an organiser how the widget looks. Nobody is enrolled with it, nobody declines, and no photo is read. Create an enrolment token for a guest.',
    'model-unavailable':
      'The deployment does not have this model. The list cannot have a model that is not installed, nor `photoCheck` `passive` where no passive check is. The operator adds it to every node, or another one is taken.',
    'check-in-origin-not-allowed':
      'The deployment does not let devices send check-ins there. The origin of `checkInUrl` (scheme, host and port) is none of those that the deployment allows, because the kiosk’s page may connect to these alone. The operator adds it to `SVC_CHECK_IN_ORIGINS`.',
    'arrivals-off':
      'The list does not count arrivals. The list’s `arrivals` is `off`: nothing was counted, and the device drops what it counted at its next sync.',
    'device-key-mismatch':
      'Another device key is pinned to this token. The first key that a device presents is pinned to its token. Revoke the device and add it again when the device was replaced or reset.',
    'secret-already-issued':
      'The secret was issued to an earlier request with this Idempotency-Key. The request was carried out, and its answer held a secret that is shown once and not kept. `resourceId` names what was made: use the secret if the first answer arrived, otherwise delete the resource and make another one under a new key. A webhook or a list whose secret was rotated is not deleted, which would lose more than the secret: rotate again under a new key.',
    'answer-erased':
      'The answer was erased with the person it was about. The request with this Idempotency-Key was carried out, and what it was about has been erased since. It is not carried out again; use a new key if that is what is wanted.',
    'api-key-limit-reached':
      'The account has as many API keys as it may have. An account may have 100 API keys that are neither revoked nor expired. Revoke one that is not used any more.',
    'sign-in-unavailable':
      'The deployment is not set up for this way of signing in. Links by mail need `SVC_SMTP_URL` and `SVC_MAIL_FROM`; passkeys and invitations need the address of the dashboard, `SVC_DASHBOARD_URL`. The operator sets them, or another way is taken (`GET /v1/sign-in`).',
    'no-passkey':
      'The person has no passkey. Nothing can be confirmed without one. Sign in again: that counts as a confirmation. Then add a passkey.',
    'last-passkey':
      'The last passkey cannot be deleted. The deployment sends no mail and has no other provider, so this passkey is the person’s only way to sign in. Add another one first.',
    'passkey-limit-reached':
      'The user has as many passkeys as a user may have. A user may have 20 passkeys. Delete one that is not used any more.',
    'user-exists':
      'The account has a user with this address. Each address is one user of an account, upper and lower case alike. Change that user’s role, or invite it again.',
    'user-limit-reached':
      'The account has as many users as it may have. An account may have 500 users, disabled ones too. Remove one that is not needed any more.',
    'user-disabled':
      'The user is disabled. A disabled user cannot be invited again. Enable it first (`disabled: false`).',
    'last-owner':
      'The account needs an owner. This is the last owner who can sign in: role and access stay. Make somebody else an owner first, who has to have signed in once.',
    'webhook-limit-reached':
      'The account has as many webhooks as it may have. An account may have 20 webhooks. Delete one, or let one of them be told of more event types.',
    'webhook-disabled':
      'The webhook is disabled. It was disabled by request, because its receiver answered 410, or because it took nothing for days: `disabledReason` says which. Enable it first.',
    'webhook-pushed':
      'The webhook’s notifications are sent. They go to its address; only those of a webhook with `delivery: "pull"` can be fetched.',
    'delivery-erased':
      'The delivery’s content was erased. The notification was about a person who has been deleted since, so its content is gone and cannot be sent again.',
    'mail-not-configured':
      'The deployment sends no mail. No mail server is configured (`SVC_SMTP_URL`), or the account is a test account, so nothing was sent and nothing kept. Make links instead and send them yourself, or ask the operator.',
    'mailing-limit-reached':
      'The event has as many mailings as it may have. An event may have 200 mailings, reminders included. Put more recipients into one.',
  }),
  ...rows(
    409,
    {
      'photo-in-progress':
        'A photo of this token is being looked at. One photo of a token is worked on at a time. Wait as long as `Retry-After` says; a retry with the `Idempotency-Key` of the first request then gets its answer.',
      'request-in-flight':
        'The first request with this Idempotency-Key is still being carried out. Wait as long as `Retry-After` says and send the same request again: it is then answered as the first one was.',
    },
    true,
  ),
  ...rows(413, {
    'request-too-large':
      'The request is too large. An enrolment may have 15 MB (15 · 2²⁰ bytes), widget settings with a logo 1 MiB, any other request 64 KiB. Photos of 1280 px on the longest side are enough.',
  }),
  ...rows(415, {
    'unsupported-media-type':
      'The media type is not supported. Send `Content-Type: application/json` in UTF-8, without a content coding.',
  }),
  ...rows(422, {
    'idempotency-key-reused':
      'The Idempotency-Key belongs to another request. A key stands for one request: the same path, query and body. Take a new key for another request.',
    'no-face':
      'No face was found. Ask for a new photo: one face, looking at the camera, good light, nothing covering it.',
    'not-a-test-photo':
      'The photo is none of the test photos. A test account takes drawn test photos alone, byte for byte, so that no face of anybody gets into it. Send one of them (docs/test-mode.md), or use an API key of a live account.',
    'several-faces': 'More than one face was found. Ask for a new photo with one person in it.',
    'face-too-small':
      'The face is too small. Ask for a new photo from nearer. `measured` and `limit` are pixels between the eyes.',
    'too-dark':
      'The photo is too dark. Ask for a new photo in better light. `measured` and `limit` are brightness, 0 to 1.',
    'too-bright':
      'The photo is too bright. Ask for a new photo without glare. `measured` and `limit` are the share of the face that is burnt out, 0 to 1.',
    blurred: 'The face is blurred. Ask for a new, steady photo. `measured` and `limit` are sharpness.',
    'turned-away':
      'The face is turned away. Ask for a new photo looking at the camera. `measured` and `limit` are degrees.',
    covered:
      'The face is covered or cut off. Ask for a new photo with the whole face free. `measured` and `limit` are the share of the face that is seen.',
    'photo-not-live':
      'The photo seems to show a picture of a face. The list’s `photoCheck` is `passive`, and the photo looks like one of a print or a screen, or shows too little around the face to tell. Ask for a new photo: from arm’s length, in even light, with the room visible behind the head. It says neither a score nor which of the two it was.',
    'device-unsuited':
      'The device cannot serve an unattended list. The list’s `attendance` is `unattended`, and the request does not say in `Svc-Attendances` that the device can serve one: its SDK is older than that. It stops at the end of its lease. Update it, or set the list to `staffed`.',
    'passkey-refused':
      'The passkey’s answer cannot be accepted. It does not fit the challenge, which works once and for five minutes, is of another person’s passkey, was made for another page, did not ask its owner for a fingerprint, a face or a code, or is added already. Begin again.',
    'different-person':
      'A further photo is not of the person in the first one. `errors[]` points at the photo in `additionalImagesBase64`. Send photos of one person, or the first one alone.',
  }),
  ...rows(
    429,
    {
      'rate-limited':
        'Too many requests. Wait as long as `Retry-After` says. `RateLimit-Policy` tells what is allowed and `RateLimit` what is left of it. Credentials that are not valid are counted too, by network address.',
    },
    true,
  ),
  ...rows(
    500,
    {
      'internal-error':
        'Something went wrong on our side. The request was not carried out, or its outcome is unknown. Quote `requestId` when you report it.',
    },
    true,
  ),
  ...rows(
    503,
    {
      overloaded:
        'The service is busy. More is waiting already than can be worked on soon: photos, bodies or statements. Nothing was carried out. Wait as long as `Retry-After` says; an enrolment is refused before its body is read.',
      'model-missing':
        'The list’s model is not installed on this node. Nobody can be enrolled into the list here until the operator installs its model, or the list’s model is changed. The photo was not looked at. Wait as long as `Retry-After` says: another node may have it.',
      'not-ready':
        'The service is not ready. A part that the service needs is not available yet or any more. Wait as long as `Retry-After` says.',
    },
    true,
  ),
} satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorTable;

/** Every code, in table order (by status). */
export const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** True for a code of {@link errorTable}. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** Path of the error reference on a deployment, the target of a problem's `type`. */
export const ERROR_REFERENCE_PATH = '/docs/errors';

/** `type` of a problem: an absolute path as URI reference (RFC 9457 section 3.1.1), valid on any host. */
export function problemType(code: ErrorCode): string {
  return `${ERROR_REFERENCE_PATH}#${code}`;
}
