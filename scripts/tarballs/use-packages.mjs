// Basic use of each package. Runs in the temporary project, once as a module and once through `require`.

import { deepStrictEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const project = process.argv[2];
const require = createRequire(join(project, 'package.json'));

const uses = {
  async core(load) {
    const core = await (await load('@svc/core')).loadCore();
    equal(core.cosine(Float32Array.of(1, 0), Float32Array.of(2, 0)), 1);
    const aead = (await load('@svc/core/aead')).createNobleAead();
    const [key, nonce, aad] = [new Uint8Array(32), new Uint8Array(12), new Uint8Array()];
    const sealed = await aead.seal(key, nonce, Uint8Array.of(1, 2, 3), aad);
    const opener = (await load('@svc/core/aead-node')).createNodeAead();
    deepStrictEqual(Uint8Array.from(await opener.open(key, nonce, sealed, aad)), Uint8Array.of(1, 2, 3));
    ok((await load('@svc/core/pack')).parsePack && (await load('@svc/core/evaluation')));
  },
  async protocol(load) {
    const { formatSecret, isSecret, buildOpenApiDocument } = await load('@svc/protocol');
    ok(isSecret('svcd', formatSecret('svcd', new Uint8Array(32))));
    ok(Object.keys(buildOpenApiDocument().paths).length > 20);
    equal((await load('@svc/protocol/endpoints')).organiserEndpoints.getUsage.path, '/v1/usage');
    equal((await load('@svc/protocol/roles')).roleScopes.door.includes('devices:write'), true);
  },
  async 'face-models'(load) {
    const bundle = await (await load('@svc/face-models/node')).openModelBundle({ addOnDirectory: null });
    ok((await bundle.read('face-mesh')).length > 1_000_000);
    ok((await load('@svc/face-models')).parseManifest);
  },
  async 'face-engine'(load) {
    const made = await (await load('@svc/face-engine/node')).createNodeFaceEngine({ addOnDirectory: null });
    const frame = { data: new Uint8Array(64 * 64 * 3), width: 64, height: 64, channels: 3 };
    equal((await made.engine.enrol(frame)).reason, 'no-face');
    made.engine.dispose();
    made.runtime.dispose();
    ok((await load('@svc/face-engine')).createFaceEngine && (await load('@svc/face-engine/browser')).openModelBundleAt);
  },
  async 'capture-web'(load) {
    const { fittedSize, WorkerLink } = await load('@svc/capture-web');
    deepStrictEqual(fittedSize({ width: 4000, height: 3000 }, 1280), { width: 1280, height: 960 });
    ok(WorkerLink);
  },
  async 'server-sdk'(load) {
    const { createSvcClient, isSvcConnectionError } = await load('@svc/server-sdk');
    const { formatSecret } = await load('@svc/protocol');
    const apiKey = formatSecret('svck', new Uint8Array(32));
    const client = createSvcClient({ baseUrl: 'http://127.0.0.1:9', apiKey, maxRetries: 0 });
    await rejects(client.createList({ name: 'Members', ongoing: true }), isSvcConnectionError);
  },
  async 'device-sdk'(load) {
    const { createMemoryKeyStore } = await load('@svc/device-sdk/adapters');
    const { keyStoreContract } = await load('@svc/device-sdk/contracts');
    ok((await load('@svc/device-sdk')).CheckInDevice && (await load('@svc/device-sdk/evaluation')).runAttempt);
    for (const { check } of keyStoreContract) await check({ port: createMemoryKeyStore(), reopen: null });
  },
  async 'device-sdk-node'(load, directory) {
    const { createNodeCheckInDevice } = await load('@svc/device-sdk-node');
    const { formatSecret } = await load('@svc/protocol');
    const device = await createNodeCheckInDevice({
      deviceToken: formatSecret('svcd', new Uint8Array(32)),
      region: { baseUrl: 'http://127.0.0.1:9', signingKeys: [Buffer.alloc(32, 1).toString('base64url')] },
      directory: join(directory, 'gate'),
      passiveLiveness: 'absent-staff-in-view',
      addOnDirectory: null,
    });
    equal(device.status().notReady.reason, 'never-synced');
    deepStrictEqual(await device.syncAsync(), { ok: false, reason: 'offline' });
    await device.dispose();
  },
  async 'device-sdk-native'(load) {
    const { PageChannel, readMessage, toBase64Url } = await load('@svc/device-sdk-native');
    const session = toBase64Url(new Uint8Array(16));
    const sent = [];
    new PageChannel({ minor: 0, sdkVersion: '1.0.0', session }, (text) => sent.push(text), {});
    equal(readMessage(sent[0], { from: 'page', session: null, highestId: 0 }).kind, 'event');
    equal(require('@svc/device-sdk-native/contract/v1.schema.json').title, 'Message');
  },
  async 'device-sdk-react-native'() {
    // Its main entry point needs React Native, which only Metro and jest load.
    const folder = dirname(require.resolve('@svc/device-sdk-react-native/package.json'));
    const { codegenConfig, exports } = require('@svc/device-sdk-react-native/package.json');
    const needed = [
      exports['.']['react-native'].default,
      `${codegenConfig.jsSrcsDir}/NativeSvcDevice.ts`,
      'SvcDeviceReactNative.podspec',
      'android/build.gradle',
      'app.plugin.js',
      'dist/shell/android/src/main/AndroidManifest.xml',
      'dist/shell/android/src/main/kotlin/org/svc/device/SvcDevice.kt',
      'dist/shell/ios/Apple/SvcDevice.swift',
      'dist/shell/ios/SvcDeviceBinding.swift',
      'react-native.config.js',
    ];
    for (const file of needed) ok(existsSync(join(folder, file)), `${file} is missing`);
    ok(!existsSync(join(folder, 'src/testing')) && !existsSync(join(folder, 'src/device.test.ts')));
    const { createPlugin } = require(join(folder, 'dist/expo/plugin.js'));
    throws(() => createPlugin({})({ name: 'Door', slug: 'door' }), /svc-device-assets/);
  },
  async 'device-sdk-web'(load, directory) {
    ok((await load('@svc/device-sdk-web')).createWebDevice);
    const { buildDeviceAssets } = await load('@svc/device-sdk-web/assets');
    const { files } = await buildDeviceAssets({ directory: join(directory, 'assets'), addOnDirectory: null });
    ok(files.some(({ path }) => path === 'engine-worker.js'));
  },
};

const resolved = async (name) => import(`${project}/load.mjs`).then(({ load }) => load(name));
const directory = await mkdtemp(join(tmpdir(), 'svc-tarballs-'));
try {
  for (const [how, load] of [
    ['import', resolved],
    ['require', async (name) => require(name)],
  ]) {
    for (const [name, use] of Object.entries(uses)) {
      await use(load, await mkdtemp(join(directory, `${how}-`))).catch((error) => {
        process.stdout.write(`@svc/${name}, by ${how}: ${error?.stack ?? error}\n`);
        process.exitCode = 1;
      });
    }
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
