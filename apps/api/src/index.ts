/** The API of the face check-in service, to be started or administered from another program. */
export { type Admin, openAdmin } from './admin.ts';
export { moveKeys } from './compose/admin.ts';
export type { ApiParts } from './compose/parts.ts';
export { openSigningAdmin, type SigningAdmin, type SigningStatus } from './compose/signing-admin.ts';
export { type RunningApi, startApi } from './compose.ts';
export { type ApiConfig, ConfigurationError, type LogLevel, readConfig } from './config.ts';
export { DataDirectoryInUseError, startEmbeddedServer } from './db/embedded/index.ts';
export type { Finding } from './doctor/check.ts';
export { examineDeployment } from './doctor/doctor.ts';
export { ServiceError } from './errors.ts';
export type { NewAccount } from './features/accounts/service.ts';
export { type ChainHead, type LedgerFinding, type LedgerReport, verifyLedger } from './features/consents/verify.ts';
export type { MovedKeys } from './features/restore/move.ts';
export type { NewPlan } from './features/usage/plans.ts';
