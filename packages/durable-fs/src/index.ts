/** Files that are replaced whole, folders of them, and a lock that keeps other processes off a folder. */
export { createPrivateFile, DurableFolder, readOrCreatePrivateFile, replacePrivateFile } from './durable-folder.ts';
export {
  type FileSystem,
  nodeFileSystem,
  type OpenFile,
  type Parts,
  PrivateFileError,
  readPrivateFile,
} from './file-system.ts';
export { tryLockFolder, withFolderLock } from './folder-lock.ts';
