import { encodeJpeg, identitySeed, renderHead } from '@svc/synthetic-faces';

/** Identities of the rendered guests; `stranger` is never enrolled. */
export const guests = {
  anna: identitySeed(9),
  ben: identitySeed(1),
  chloe: identitySeed(2),
  stranger: identitySeed(3),
};
export type Guest = keyof typeof guests;

/** The photo with which a guest enrols. */
export const photoOf = (guest: Guest): Promise<Uint8Array> =>
  encodeJpeg(renderHead({ seed: guests[guest], width: 960, height: 720, noiseSeed: 7 }));

export const ticketOf = (guest: Guest): string => `ticket-of-${guest}`;
