/** The API of the face check-in service, for programs that start or administer it. */

export { type Admin, openAdmin } from './compose/operator.ts';
export type { ApiParts } from './compose/parts.ts';
export { openSigningAdmin, type SigningAdmin, type SigningStatus } from './compose/signing-admin.ts';
export { type RunningApi, startApi } from './compose/start-api.ts';
export { type ApiConfig, ConfigurationError, readConfig } from './config/config.ts';
export { DataDirectoryInUseError, startEmbeddedServer } from './db/embedded/index.ts';
export type { Finding } from './doctor/checks.ts';
export { examineDeployment } from './doctor/doctor.ts';
export type { NewAccount } from './features/accounts/service.ts';
export { verifyLedger } from './features/consents/chain.ts';
export type { NewPlan } from './features/usage/service.ts';
export { ServiceError } from './platform/errors.ts';
