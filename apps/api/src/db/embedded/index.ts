export { DataDirectoryInUseError, type EmbeddedServer, startEmbeddedServer } from './server.ts';
