export { type AccentShades, accentShades } from './accent.ts';
export { type Appearance, applyAppearance, readAppearance, tokensOf } from './appearance.ts';
