export { type CutOutOptions, renderCutOut } from './attacks/cut-out.ts';
export type { FlatPose } from './attacks/flat.ts';
export { type PrintOptions, printHomography, renderPrint } from './attacks/print.ts';
export { renderScreen, type ScreenOptions } from './attacks/screen.ts';
export { type ClipFrame, type ClipOptions, renderClip } from './clip.ts';
export { type CanonicalFace, parseCanonicalFace, useCanonicalFace } from './geometry/canonical.ts';
export type { Expression } from './identity/expression.ts';
export { firstWideSeed, identitySeed, publishedIdentityCount } from './identity/wide-people.ts';
export { type HeadTurnOptions, headTurn, type Motion, naturalSway } from './motion.ts';
export type { BackgroundOptions } from './render/background.ts';
export type { LightOptions } from './render/lighting.ts';
export type { RenderedImage } from './render/sensor.ts';
export { renderHead, renderScene } from './scene.ts';
export { AutoCamera, type AutoCameraOptions, type SceneLight } from './screen-light/auto-camera.ts';
export { type Display, displayLight, displays, type ScreenColour } from './screen-light/display.ts';
export {
  type HeldPrintOptions,
  type HeldScreenOptions,
  heldPrint,
  heldScreen,
  type LitScene,
  panelOf,
  renderLitHead,
} from './screen-light/flat-scene.ts';
export type { FrameOptions, HeadOptions } from './types.ts';
