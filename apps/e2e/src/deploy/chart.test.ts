import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Of Kubernetes itself; loaded where it is asked for. */
async function kubernetes(): Promise<Readonly<Record<string, new (object: never) => { validate(): void }>>> {
  const [apps, autoscaling, core, networking, policy] = await Promise.all([
    import('kubernetes-models/apps/v1'),
    import('kubernetes-models/autoscaling/v2'),
    import('kubernetes-models/v1'),
    import('kubernetes-models/networking.k8s.io/v1'),
    import('kubernetes-models/policy/v1'),
  ]);
  const { Deployment } = apps;
  const { HorizontalPodAutoscaler } = autoscaling;
  const { Ingress, NetworkPolicy } = networking;
  const { PodDisruptionBudget } = policy;
  return { Deployment, HorizontalPodAutoscaler, Ingress, NetworkPolicy, PodDisruptionBudget, Service: core.Service };
}

const libraries = '/usr/share/gocode';
const hasRenderer =
  spawnSync('go', ['version']).status === 0 && existsSync(join(libraries, 'src/github.com/Masterminds/sprig'));
const isAsked = process.env.SVC_TEST_DEPLOY_ALL === '1';
if (isAsked && !hasRenderer) process.stdout.write('skipped: no Go with sprig (the chart)\n');

const guide = readFileSync(new URL('../../../../docs/operate/deployment.md', import.meta.url), 'utf8');
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
  autoscaling: { enabled: true },
  ingress: { enabled: true, className: 'traefik', annotations: { 'cert-manager.io/cluster-issuer': 'acme' } },
  gateway: { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways' }] },
  annotations: { note: 'deployment' },
  podAnnotations: { note: 'pod' },
  serviceAnnotations: { note: 'service' },
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'cameras', operator: 'Exists' }],
};

/** Chart's values with these, as Helm merges them. */
async function valuesWith(over: object): Promise<object> {
  const own = parse(await readFile(join(chart, 'values.yaml'), 'utf8')) as Record<string, object>;
  const merged = Object.entries(over).map(([name, value]: [string, object]) =>
    own[name]?.constructor === Object ? [name, { ...own[name], ...value }] : [name, value],
  );
  return { ...own, ...Object.fromEntries(merged) };
}

describe('the schema of values', () => {
  it.each<[string, object, boolean]>([
    ['the smallest values', smallest, true],
    ['every value', everything, true],
    ['the values that a document names', parse(/```yaml\n(image:.*?)```/s.exec(guide)?.[1] ?? ''), true],
    ['no host for the kiosk', { ...smallest, hosts: { ...smallest.hosts, kiosk: '' } }, false],
    ['a name that is misspelt', { ...smallest, replica: 3 }, false],
    ['another database', { ...smallest, database: { url: 'mysql://one/svc' } }, false],
    ['a route without a Gateway', { ...smallest, gateway: { enabled: true } }, false],
  ])('judges %s', async (_, values, isFine) => {
    const schema = JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8')) as object;
    const validate = new Ajv({ allowUnionTypes: true }).compile(schema);
    expect(validate(await valuesWith(values)), JSON.stringify(validate.errors)).toBe(isFine);
  });
});

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
      [
        ...['Deployment', 'HorizontalPodAutoscaler', 'NetworkPolicy', 'Service', 'PodDisruptionBudget'],
        ...['Ingress', 'HTTPRoute', 'Service', 'ServiceMonitor'],
      ],
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
      kinds.filter((kind) => ['HTTPRoute', 'ServiceMonitor'].includes(kind)),
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
