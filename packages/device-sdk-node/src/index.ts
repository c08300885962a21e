/** The device SDK for Node: keys and packs in files, frames from folders, the engine on one thread. */
export { createFolderCamera, type FolderCameraOptions, folderFrames } from './camera/folder-camera.ts';
export { createRecordedCamera, type PacingOptions, type TimedImage } from './camera/recorded-frames.ts';
export { createNodeCheckInDevice, type NodeDeviceOptions, type SharedEngine } from './create-device.ts';
export { createFileKeyStore, createFilePackStore } from './files/file-stores.ts';
export { lockDirectory } from './files/in-storage.ts';
export { type Keyring, openSystemKeyring } from './keyring/keyring.ts';
export { createKeyringKeyStore, type KeyringKeyStoreOptions } from './keyring/keyring-key-store.ts';
export type { KeyPlace } from './keys/open-key-store.ts';
export { verifyEd25519 } from './keys/verify-ed25519.ts';
