import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Of Kubernetes itself; loaded where it is asked for. */
async function kubernetes(): Promise<Readonly<Record<string, new (object: never) => { validate(): void }>>> {
  const [apps, core, networking, policy] = await Promise.all([
    import('kubernetes-models/apps/v1'),
    import('kubernetes-models/v1'),
    import('kubernetes-models/networking.k8s.io/v1'),
    import('kubernetes-models/policy/v1'),
  ]);
  const { Deployment } = apps;
  const { Ingress, NetworkPolicy } = networking;
  return { Deployment, Ingress, NetworkPolicy, PodDisruptionBudget: policy.PodDisruptionBudget, Service: core.Service };
}

const libraries = '/usr/share/gocode';
const hasRenderer =
  spawnSync('go', ['version']).status === 0 && existsSync(join(libraries, 'src/github.com/Masterminds/sprig'));
const isAsked = process.env.SVC_TEST_DEPLOY_ALL === '1';
if (isAsked && !hasRenderer) process.stdout.write('skipped: no Go with sprig (the chart)\n');

const chart = fileURLToPath(new URL('../../../../deploy/helm/svc', import.meta.url));
const smallest = {
  image: { name: 'registry.example.org/svc:1' },
  hosts: { api: 'api.example', dashboard: 'dashboard.example', kiosk: 'kiosk.example', widget: 'widget.example' },
  database: { url: 'postgresql://svc@one,two/svc?sslmode=verify-full&sslrootcert=/etc/svc/ca/ca.pem' },
  keys: { url: 'postgresql://svc@keys/svc' },
};
const everything = {
  ...smallest,
  ownerSecret: 'svc-owner',
  imagePullSecrets: [{ name: 'registry' }],
  drainMs: 20_500,
  settings: { SVC_REGION: 'eu', SVC_RATE_LIMIT_API_KEY: 6_000_000 },
  settingsFrom: [{ secretRef: { name: 'mail' } }],
  networkPolicy: { from: [{ podSelector: {} }], metricsFrom: [{ namespaceSelector: {} }] },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  ingress: { enabled: true, className: 'nginx' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'cameras', operator: 'Exists' }],
};

describe.skipIf(!isAsked || !hasRenderer)('the chart', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-chart-'));
    const renderer = fileURLToPath(new URL('render-chart.go', import.meta.url));
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: libraries, GOCACHE: join(folder, 'cache') };
    const built = spawnSync('go', ['build', '-o', join(folder, 'render'), renderer], { env, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(built.stderr);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function render(values: object): Promise<readonly KubernetesObject[]> {
    const file = join(folder, 'values.yaml');
    await writeFile(file, stringify(values));
    const { status, stdout, stderr } = spawnSync(join(folder, 'render'), [chart, file], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    // Kubernetes reads YAML 1.1: 0440 is octal.
    const documents = parseAllDocuments(stdout, { version: '1.1' });
    return documents.flatMap((document) => {
      if (document.errors.length > 0) throw new Error(String(document.errors));
      const object = document.toJS() as KubernetesObject | null;
      return object === null ? [] : [object];
    });
  }

  it.each([
    ['the smallest values', smallest, ['Deployment', 'NetworkPolicy', 'Service', 'PodDisruptionBudget']],
    [
      'every value',
      everything,
      ['Deployment', 'NetworkPolicy', 'Service', 'PodDisruptionBudget', 'Ingress', 'Service', 'ServiceMonitor'],
    ],
  ])('with %s makes objects that the schemas of Kubernetes take', async (_, values, kinds) => {
    const objects = await render(values);
    expect(objects.map(({ kind }) => kind)).toEqual(kinds);
    const hosts = Object.values(smallest.hosts);
    const named = { tls: [{ hosts }], rules: hosts.map((host) => ({ host })) };
    for (const { kind, spec } of objects) if (kind === 'Ingress') expect(spec).toMatchObject(named);
    const schemas = await kubernetes();
    for (const object of objects) {
      const Schema = schemas[object.kind];
      if (Schema !== undefined) expect(() => new Schema(object as never).validate()).not.toThrow();
    }
    expect(objects.filter(({ kind }) => schemas[kind] === undefined).map(({ kind }) => kind)).toEqual(
      kinds.filter((kind) => kind === 'ServiceMonitor'),
    );
  });

  it('runs as nobody in particular, on a root that is read-only, with time to drain', async () => {
    const [deployment] = await render(everything);
    expect(deployment?.spec).toMatchObject({
      template: {
        spec: {
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          terminationGracePeriodSeconds: 51,
          containers: [
            {
              securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
              env: expect.arrayContaining([
                { name: 'SVC_DRAIN_MS', value: '20500' },
                { name: 'SVC_REGION', value: 'eu' },
                { name: 'SVC_RATE_LIMIT_API_KEY', value: '6000000' },
                { name: 'SVC_KIOSK_URL', value: 'https://kiosk.example/kiosk/' },
              ]),
            },
          ],
        },
      },
    });
  });
});
