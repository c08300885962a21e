import { describe, expect, it, jest } from '@jest/globals';
import type { ReactElement } from 'react';
import { NativeModules, StyleSheet } from 'react-native';
import { act, create, type ReactTestRenderer } from 'react-test-renderer';
import { createDeviceFactory, type Device } from './device.ts';
import { useDevicePrompt, useDeviceStatus } from './hooks.ts';
import { createFakeNative, match, neverSynced, synced } from './testing/fake-native.ts';

const fake = createFakeNative();
/** Where an app finds what the native code registers. */
NativeModules.SvcDevice = fake.native;
const { SvcCameraView } = jest.requireActual<typeof import('./index.ts')>('./index.ts');

async function openDevice() {
  const native = createFakeNative();
  const creating = createDeviceFactory(native.native)({ deviceToken: 'svcd_a', region: { name: 'EU' } });
  native.call('configure').answer({ status: neverSynced });
  return { ...native, device: await creating };
}

async function render(element: ReactElement): Promise<ReactTestRenderer> {
  let rendered: ReactTestRenderer | null = null;
  await act(async () => {
    rendered = create(element);
  });
  if (rendered === null) throw new Error('nothing was rendered');
  return rendered;
}

const nativeProps = (rendered: ReactTestRenderer) =>
  rendered.root.find(({ type }) => String(type) === 'SvcCameraView').props;

const seen: unknown[] = [];

function Screen({ shown }: { readonly shown: Device | null }) {
  seen.push([useDeviceStatus(shown)?.ready, useDevicePrompt(shown)?.key]);
  return null;
}

describe('SvcCameraView', () => {
  it('is the native view with the properties of a view', async () => {
    const rendered = await render(<SvcCameraView accessibilityLabel="camera" style={{ flex: 1 }} />);
    expect(nativeProps(rendered)).toMatchObject({ accessibilityLabel: 'camera' });
    expect(StyleSheet.flatten(nativeProps(rendered).style)).toEqual({ flex: 1 });
  });
});

describe('hooks', () => {
  it('show the status and the prompt as they change, and nothing without a device', async () => {
    const { call, device, tell } = await openDevice();
    const rendered = await render(<Screen shown={null} />);
    await act(async () => rendered.update(<Screen shown={device} />));
    await act(async () => tell('status', { status: synced }));
    const verifying = device.verifyLiveAsync('ticket-1');
    const prompt = { key: 'look-at-camera', progress: 0, remainingMs: 10_000 };
    await act(async () => tell('prompt', { prompt }));
    await act(async () => {
      call('verify').answer({ result: match });
      await verifying;
    });
    expect(seen).toEqual([
      [undefined, undefined],
      [false, undefined],
      [true, undefined],
      [true, 'look-at-camera'],
      [true, undefined],
    ]);
    await act(async () => rendered.unmount());
    tell('status', { status: neverSynced });
    expect(seen).toHaveLength(5);
  });
});

describe('the example', () => {
  it('makes a visit through the native module', async () => {
    const { Door } = jest.requireActual<typeof import('../example/app.tsx')>('../example/app.tsx');
    const rendered = await render(
      <Door baseUrl="https://faces.example" deviceToken="svcd_a" signingKeys={['A'.repeat(43)]} />,
    );
    const text = (testID: string) =>
      rendered.root.find((node) => String(node.type) === 'Text' && node.props.testID === testID).props.children;
    expect([text('status'), text('line')]).toEqual(['No device', 'Starting']);
    // iOS pauses pages that no window shows.
    expect(nativeProps(rendered)).toBeDefined();
    await act(async () => fake.call('configure').answer({ status: neverSynced }));
    expect(text('status')).toBe('Not ready: never-synced');
    await act(async () => fake.tell('status', { status: synced }));
    expect(text('status')).toBe('2 people');

    const field = rendered.root.find(
      ({ props }) => props.accessibilityLabel === 'Scanned ID' && 'onChangeText' in props,
    );
    await act(async () => field.props.onChangeText('ticket-4711'));
    const button = rendered.root.find(({ props }) => props.testID === 'verify' && 'onPress' in props);
    await act(async () => button.props.onPress());
    await act(async () => button.props.onPress());
    expect(fake.calls.filter(({ name }) => name === 'verify').map(({ body }) => body)).toEqual([
      { scannedId: 'ticket-4711', headTurn: 'asked' },
    ]);
    await act(async () => fake.call('verify').answer({ result: match }));
    expect(text('line')).toBe('Welcome');

    await act(async () => button.props.onPress());
    await act(async () =>
      fake.call('verify').fail(Object.assign(new Error('the page ended'), { code: 'renderer-gone' })),
    );
    expect(text('line')).toBe('renderer-gone: the page ended');
    await act(async () => rendered.unmount());
    expect(fake.calls.at(-1)?.name).toBe('dispose');
  });
});
