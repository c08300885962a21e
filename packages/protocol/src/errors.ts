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
      'The request is invalid. A field or parameter breaks its rule. `errors[]` names each one, fields of the body by JSON pointer (RFC 6901). This includes consent: a box that is not ticked (`explicitBiometricConsent`, `writtenRelease`, and `guardianConsent` for people under 16) is refused here, before the photo is processed.',
    'unknown-parameter':
      'Unknown field or parameter. The body has a field, or the query a parameter, that the operation does not know; `errors[]` names each one. Nothing was done, since a misspelt name would otherwise be ignored. Names longer than 64 characters, or with characters other than letters, digits, `_`, `.`, `$` and `-`, are not repeated.',
    'image-invalid':
      'The image is not a readable JPEG or PNG. `reason` says why. `format`: the bytes are neither JPEG nor PNG; `measured` is the media type if it is another image format. `dimensions`: the image has more pixels (25 million, or 50 million for a baseline JPEG), a longer side (16,384 pixels) or a larger ratio of its sides (10) than the decoder accepts; `measured` and `limit` are in that unit. `damaged`: the image is cut off or broken. `time`: decoding takes too long; `measured` and `limit` are numbers of scans or, without `measured`, `limit` is in seconds.',
    'logo-invalid':
      'The logo is not a readable PNG or JPEG. `reason`, `measured` and `limit` say why, as for `image-invalid`, with the same limits. SVG is not accepted: it may contain scripts. Nothing was changed.',
    'device-key-invalid':
      'The device key is missing or not a P-256 point. `Svc-Device-Key` must be an uncompressed P-256 point (65 bytes, on the curve) in base64url without padding.',
    'nonce-invalid':
      'The nonce is missing or not 16 bytes. `Svc-Nonce` must be 16 fresh random bytes in base64url without padding.',
  }),
  ...rows(401, {
    'missing-credential':
      'A credential is required. The request has no credential. The operation’s reference says which kind it accepts.',
    'invalid-credential':
      'The credential is invalid. The credential is mistyped, unknown, expired or revoked. A device never wipes data because of this error.',
    'wrong-credential':
      'This kind of credential is not accepted here. The request has a credential for other operations, for example an API key for a device’s operation, or sends it in the wrong header.',
    'token-expired':
      'The enrolment token has expired. Ask the organiser for a new link, or reload the page that shows the widget.',
    'token-used':
      'The enrolment token has been used. The guest enrolled or declined with it, or enrolled with another token for the same ticket. A retry of the request that used it gets the same response only with the same `Idempotency-Key`.',
    'token-exhausted':
      'The enrolment token has no attempts left. Five photos sent with this token were unusable. Ask the organiser for another token, or use the standard entrance.',
    'sign-in-failed':
      'Sign-in with the passkey failed. The passkey is not known here, belongs to a user who cannot sign in, or its response does not match the challenge, which works once, for five minutes. Try again, or ask for a link by email or a new invitation.',
    'link-invalid':
      'The link no longer works. A link works once. An invitation is valid for seven days and a link by email for fifteen minutes, both only until a newer invitation; the first owner’s link is valid for an hour, while no one can sign in. Ask for another one.',
    'account-suspended':
      'The account is suspended. The credential is correct, but its account is suspended. Devices of the account are told to wipe their data.',
  }),
  ...rows(402, {
    'no-plan': 'The account has no plan. No one can be enrolled without a plan. Ask the operator to set one.',
    'plan-limit-reached':
      'The plan’s limit is reached. Every distinct personId of the account counts towards the plan for its period, even after the face is erased. Replacing the face of someone already counted never reaches this limit.',
    'test-limit-reached':
      'The test account’s limit is reached. A test account can have 20 lists, each with 100 people and 5 devices. Delete what you no longer need, or use a live account.',
  }),
  ...rows(403, {
    'insufficient-scope':
      'Missing scope. The API key, or the person’s role, does not have the scope that the operation needs; the operation’s reference names it. Nothing was done. Use a key with this scope, or ask an owner to change the role.',
    'reauthentication-required':
      'A recent sign-in is required. The operation, or a field of its body, needs a sign-in within the last ten minutes (within the last hour for the role `door` to add devices). Nothing was done. Confirm with a passkey (`reauthenticate`) or sign in again, and repeat the request.',
    'csrf-token-invalid':
      'The CSRF token is missing or does not belong to the session. Every request that changes something for a signed-in person needs `X-Csrf-Token`, as returned by `GET /v1/session`. Nothing was done. A server uses an API key, which needs none.',
    'foreign-page':
      'The request comes from a page of another origin. `Origin` or `Sec-Fetch-Site` shows that another site’s page sent this request with a person’s cookie, or tried to sign in. Nothing was done. Only the dashboard of this deployment may do that (`SVC_DASHBOARD_URL`).',
  }),
  ...rows(404, {
    'not-found':
      'No such resource. There is nothing at this address, or it belongs to someone else; the response is the same. `detail` names what is missing, for example a list.',
  }),
  ...rows(405, {
    'method-not-allowed':
      'The method is not allowed here. The address exists, the method does not. `Allow` lists the methods that do.',
  }),
  ...rows(
    408,
    {
      'request-timeout':
        'The request did not arrive in time. The whole body must arrive within 60 seconds, and at least 10 KiB of it, or all that is left, in every 10 seconds. The service closes the connection. Send a smaller photo, or the same request again over a better connection.',
    },
    true,
  ),
  ...rows(409, {
    'consent-version-mismatch':
      'The consent version does not match the list. `consent.consentVersion` must equal the list’s `consentVersion`. Read the list, show the person the current wording, and send that version.',
    'enrolment-closed':
      'Enrolment is closed for the list. This is permanent. People already enrolled stay until they are deleted as usual.',
    'list-ended':
      'The list has ended. The list was ended, or its retention deadline has passed. No one can be enrolled, no device can be added, and the model cannot be changed.',
    'event-has-list':
      'The event has a list. An event can have only one list: use that one, or create an ongoing list. To delete the event, delete its list first.',
    'list-without-event':
      'The list has no event. Enrolment links belong to an event and expire when it ends; an ongoing list has no event. Its people enrol again through the organiser’s server.',
    'event-without-list':
      'The event has no list. Enrolment tokens enrol people in the list of their event. Create the list first.',
    'event-ended':
      'The event is over. It is too late for this operation. You cannot create a list whose retention deadline has passed, create an enrolment token for an event that has ended, or move the end if the list’s retention deadline has passed or would be in the past. To delete the faces now, delete the list.',
    'widget-settings-missing':
      'The event has no widget settings. The widget shows guests the organiser’s name and a link to its privacy notice. Set both before you create enrolment tokens.',
    'camera-required':
      'This list only accepts photos taken in the page. The list’s `photoSource` is `camera`, so the request must send `photoSource` `camera`. It declares that the photo was taken with the camera of the page that asked for it, and not chosen as a file.',
    'preview-only':
      'The token is only for a preview. A preview shows an organiser how the widget looks. Its token cannot enrol anyone or decline, and no photo is read. Create an enrolment token for a guest.',
    'model-unavailable':
      'This deployment does not have the model. A list cannot use a model that is not installed, and `photoCheck` `passive` needs an installed passive check. Ask the operator to install it on every node, or choose another value.',
    'check-in-origin-not-allowed':
      'This deployment does not let devices send check-ins there. The deployment does not allow the origin of `checkInUrl` (scheme, host and port); the kiosk’s page can only connect to allowed origins. Ask the operator to add it to `SVC_CHECK_IN_ORIGINS`.',
    'arrivals-off':
      'The list does not count arrivals. The list’s `arrivals` is `off`, so the report was ignored. The device discards its counts at its next sync.',
    'device-key-mismatch':
      'Another device key is pinned to this token. The first key that a device presents is pinned to its token. If the device was replaced or reset, revoke it and add a new one.',
    'secret-already-issued':
      'The secret was issued to an earlier request with this Idempotency-Key. The request was carried out, and its response contained a secret that is shown only once and not stored. `resourceId` names the resource: use the secret if the first response arrived, otherwise delete the resource and create it again with a new key. If the request only replaced the secret of a webhook or list, do not delete anything: replace the secret again with a new key.',
    'answer-erased':
      'The stored response was erased with the person. The request with this Idempotency-Key was carried out, and the person has since been erased. It is not carried out again; use a new key if you want that.',
    'api-key-limit-reached':
      'The limit of API keys is reached. An account can have 100 API keys that are neither revoked nor expired. Revoke one that is no longer used.',
    'sign-in-unavailable':
      'This deployment is not set up for this way of signing in. Links by email need `SVC_SMTP_URL` and `SVC_MAIL_FROM`; passkeys and invitations need the address of the dashboard, `SVC_DASHBOARD_URL`. Ask the operator to set them, or sign in another way (`GET /v1/sign-in`).',
    'no-passkey':
      'The person has no passkey. You can only confirm with a passkey. Sign in again, which counts as a confirmation, and then add a passkey.',
    'last-passkey':
      'The last passkey cannot be deleted. This deployment sends no email and has no other provider, so this passkey is the person’s only way to sign in. Add another one first.',
    'passkey-limit-reached':
      'The limit of passkeys is reached. A user can have 20 passkeys. Delete one that is no longer used.',
    'user-exists':
      'The account already has a user with this address. An account can have only one user per address, ignoring case. Change that user’s role, or invite the user again.',
    'user-limit-reached':
      'The limit of users is reached. An account can have 500 users, including disabled ones. Remove one that is no longer needed.',
    'user-disabled':
      'The user is disabled. A disabled user cannot be invited again. Enable the user first (`disabled: false`).',
    'last-owner':
      'The account needs an owner. This is the last owner who can sign in. You cannot remove or disable this user, or change the role. First make another user, who has signed in at least once, an owner.',
    'webhook-limit-reached':
      'The limit of webhooks is reached. An account can have 20 webhooks. Delete one, or subscribe one of them to more event types.',
    'webhook-disabled':
      'The webhook is disabled. `disabledReason` says why: on request, because the receiver answered 410, or because nothing was accepted or fetched. Enable it first.',
    'webhook-pushed':
      'The webhook does not allow fetching. The service sends its notifications to its `url`. You can only fetch notifications of a webhook whose `delivery` is `pull`.',
    'delivery-erased':
      'The delivery’s content was erased. The notification was about a person who has since been deleted, so its content is gone and cannot be sent again.',
    'mail-not-configured':
      'This deployment sends no email. No mail server is configured (`SVC_SMTP_URL`), or the account is a test account, so nothing was sent or stored. Create links instead and send them yourself, or ask the operator.',
    'mailing-limit-reached':
      'The limit of mailings is reached. An event can have 200 mailings, reminders included. Put more recipients in each.',
  }),
  ...rows(
    409,
    {
      'photo-in-progress':
        'A photo for this token is already being processed. Only one photo per token is processed at a time. Wait as long as `Retry-After` says; a retry with the `Idempotency-Key` of the first request then gets its response.',
      'request-in-flight':
        'A request with this key is still in progress. Another request with the same `Idempotency-Key` has not finished. Wait as long as `Retry-After` says and send the same request again: you then get the response to the first one.',
    },
    true,
  ),
  ...rows(413, {
    'request-too-large':
      'The request is too large. The limit is 15 MiB for an enrolment, 64 MiB for a batch of enrolments, 1 MiB for widget settings, 16 MiB or less for other batches and mailings, and 64 KiB for any other request. Photos with 1280 pixels on the longest side are enough.',
  }),
  ...rows(415, {
    'unsupported-media-type':
      'The media type is not supported. Send `Content-Type: application/json` in UTF-8, or a form (`multipart/form-data`) where the operation accepts one. Do not compress the body.',
  }),
  ...rows(422, {
    'idempotency-key-reused':
      'The Idempotency-Key belongs to another request. A key stands for one request: the same path, query and body. Use a new key for another request.',
    'no-face':
      'No face was found. Ask for a new photo: one face, looking at the camera, in good light, with nothing covering it.',
    'not-a-test-photo':
      'The photo is not one of the test photos. A test account only accepts the drawn test photos, byte for byte, so that no one’s face gets into it. Send one of them (docs/build/test-mode.md), or use an API key of a live account.',
    'several-faces': 'More than one face was found. Ask for a new photo with only one person in it.',
    'face-too-small':
      'The face is too small. Ask for a photo taken from closer. `measured` and `limit` are pixels between the eyes.',
    'too-dark':
      'The photo is too dark. Ask for a new photo in better light. `measured` and `limit` are brightness, 0 to 1.',
    'too-bright':
      'The photo is too bright. Ask for a new photo without glare. `measured` and `limit` are the share of the face that is overexposed, 0 to 1.',
    blurred: 'The face is blurred. Ask for a new, steady photo. `measured` and `limit` are sharpness.',
    'turned-away':
      'The face is turned away. Ask for a new photo looking at the camera. `measured` and `limit` are angles in degrees.',
    covered:
      'The face is covered or cut off. Ask for a new photo with the whole face visible. `measured` and `limit` are the share of the face that is visible, 0 to 1.',
    'photo-not-live':
      'The photo seems to show a picture of a face. The list’s `photoCheck` is `passive`, and the photo looks like a photo of a print or a screen, or shows too little around the face to tell. Ask for a new photo: from arm’s length, in even light, with the room visible behind the head. The response gives no score and does not say which of the two it was.',
    'device-unsuited':
      'The device cannot serve an unattended list. The list’s `attendance` is `unattended`, and the request does not say in `Svc-Attendances` that the device can serve such a list: its SDK is too old. The device stops at the end of its lease. Update it, or set the list to `staffed`.',
    'passkey-refused':
      'The passkey’s response was refused. The response does not match the challenge (which works once, for five minutes), is from another person’s passkey, was created for another page, lacks user verification (fingerprint, face or code), or is from a passkey that was already added. Start again.',
    'different-person':
      'The photos show different people. `errors[]` points at the photo in `additionalImagesBase64` that does not show the person in the first one. Send photos of one person, or only the first one.',
  }),
  ...rows(
    429,
    {
      'rate-limited':
        'Too many requests. Wait as long as `Retry-After` says. `RateLimit-Policy` says what is allowed and `RateLimit` how much of it is left. Invalid credentials are counted too, by network address.',
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
        'The server is at capacity. Nothing was done; retry after `Retry-After`. Too many photos, request bodies or database queries are already waiting. An enrolment is refused before its body is read.',
      'model-missing':
        'The list’s model is not installed on this node. No one can be enrolled in the list here until the operator installs its model, or the list’s model is changed. The photo was not processed. Wait as long as `Retry-After` says: another node may have it.',
      'not-ready':
        'The service is not ready. The database or another part that the service needs is not available at the moment. Wait as long as `Retry-After` says.',
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
