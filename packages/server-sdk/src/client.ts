import { createHttp, type Platform, type SvcClientOptions } from './http.ts';
import { systemPlatform } from './platform.ts';
import { type ConsentMethods, consentMethods } from './resources/consents.ts';
import { type DeviceMethods, deviceMethods } from './resources/devices.ts';
import { type EnrolmentTokenMethods, enrolmentTokenMethods } from './resources/enrolment-tokens.ts';
import { type EventMethods, eventMethods } from './resources/events.ts';
import { type ListMethods, listMethods } from './resources/lists.ts';
import { type PersonMethods, personMethods } from './resources/people.ts';
import { type UsageMethods, usageMethods } from './resources/usage.ts';
import { type WebhookMethods, webhookMethods } from './resources/webhooks.ts';

/** One method for every operation of the organiser's server, under the operation's own name. */
export interface SvcClient
  extends EventMethods,
    EnrolmentTokenMethods,
    ListMethods,
    PersonMethods,
    ConsentMethods,
    DeviceMethods,
    UsageMethods,
    WebhookMethods {}

/** The client on surroundings that a test chooses. */
export function buildClient(options: SvcClientOptions, platform: Platform): SvcClient {
  const http = createHttp(options, platform);
  return {
    ...eventMethods(http),
    ...enrolmentTokenMethods(http),
    ...listMethods(http),
    ...personMethods(http),
    ...consentMethods(http),
    ...deviceMethods(http),
    ...usageMethods(http),
    ...webhookMethods(http),
  };
}

/**
 * A client of one account. Holds the key in a closure: printing the client does not show it.
 * @throws TypeError for an address that is not https, or a key that is none
 */
export function createSvcClient(options: SvcClientOptions): SvcClient {
  return buildClient(options, systemPlatform);
}
