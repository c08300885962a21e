import { FaceError } from '@svc/core';
import { type PassiveModelName, passiveModelNames } from '@svc/face-engine';

/** Names that {@link parsePassiveModel} accepts. */
export const passiveChoices: readonly string[] = [...passiveModelNames, 'none'];

/**
 * Parses the name of a passive check from a command line or a setting.
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
