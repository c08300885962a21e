import { FaceError } from '@svc/core';
import { type PassiveModelName, passiveModelNames } from '@svc/face-engine';

/** The names that {@link parsePassiveModel} knows. */
export const passiveChoices: readonly string[] = [...passiveModelNames, 'none'];

/**
 * A passive check as a command line or a setting names it.
 * @returns null for `none`
 * @throws FaceError `configuration-invalid` for any other text
 */
export function parsePassiveModel(text: string): PassiveModelName | null {
  const name = passiveModelNames.find((known) => known === text);
  if (name === undefined && text !== 'none') {
    throw new FaceError('configuration-invalid', `the passive model must be one of ${passiveChoices.join(', ')}`);
  }
  return name ?? null;
}
