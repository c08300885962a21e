/** Files that are replaced atomically, folders of such files, and a lock that keeps other processes out of a folder. */
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
