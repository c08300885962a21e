/**
 * What every page of the service stands on, whatever its framework. Styles are `@svc/page-kit/styles.css`; what builds a
 * page is `@svc/page-kit/build`.
 */
export { guardScripts } from './guard-scripts.ts';
export { Listeners } from './listeners.ts';
export { byType, type EffectHandlers, Machine, type MachineParts, type Plain, type Step } from './machine.ts';
export {
  attempt,
  attemptSoon,
  mediaQuery,
  newUuid,
  pageStorage,
  SLOW_MS,
  tellIfSlow,
  watchSize,
} from './optional.ts';
export {
  createSay,
  directionOfLanguage,
  inRegion,
  lookUpLanguage,
  type Messages,
  nameOfLanguage,
  type Say,
} from './text/say.ts';
export { createTexts, type SpokenTexts, type Texts } from './text/texts.ts';
export { type Appearance, appearanceOver, applyAppearance, readAppearance, readLanguage } from './theme/appearance.ts';
