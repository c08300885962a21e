export { DataDirectoryInUseError, type EmbeddedServer, servingTarget, startEmbeddedServer } from './server.ts';
