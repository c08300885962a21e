/** What the page in the frame needs of the seam to the page around it; the loader takes the parts by themselves. */
export { type ReadFragment, readFragment, type SettingTexts } from './address.ts';
export type { FrameMessage } from './messages.ts';
export { connectToParent, followHeight, type ParentPage } from './parent.ts';
