/** The API of the face check-in service, for programs that start or administer it. */

export { type RunningApi, startApi } from '../compose.ts';
export { type ApiConfig, ConfigurationError, readConfig } from '../config/config.ts';
export { DataDirectoryInUseError, startEmbeddedServer } from '../db/embedded/index.ts';
export type { Finding } from '../doctor/checks.ts';
export { examineDeployment } from '../doctor/doctor.ts';
export type { NewAccount } from '../features/accounts/service.ts';
export { type ChainHead, type LedgerFinding, type LedgerReport, verifyLedger } from '../features/consents/verify.ts';
export type { MovedKeys } from '../features/restore/move.ts';
export type { NewPlan } from '../features/usage/plans.ts';
export { ServiceError } from '../platform/errors.ts';
export { moveKeys } from './admin.ts';
export { type Admin, openAdmin } from './operator.ts';
export type { ApiParts } from './parts.ts';
export { openSigningAdmin, type SigningAdmin, type SigningStatus } from './signing-admin.ts';
