import { equal, ok } from 'node:assert/strict';
import { buildOpenApiDocument, type ErrorCode, errorTable, formatSecret, isSecret } from '@svc/protocol';
import { organiserEndpoints } from '@svc/protocol/endpoints';
import { roleScopes } from '@svc/protocol/roles';
import { type SyncManifest, syncManifestSchema } from '@svc/protocol/sync';

export async function use(): Promise<void> {
  ok(isSecret('svcd', formatSecret('svcd', new Uint8Array(32))));
  const document: object = buildOpenApiDocument();
  ok('paths' in document);
  const code: ErrorCode = 'list-ended';
  const status: number = errorTable[code].status;
  equal(status, 409);
  const path: '/v1/usage' = organiserEndpoints.getUsage.path;
  equal(path, '/v1/usage');
  ok(roleScopes.door.includes('devices:write'));
  const manifest: SyncManifest | undefined = syncManifestSchema.safeParse({}).data;
  equal(manifest, undefined);
}
