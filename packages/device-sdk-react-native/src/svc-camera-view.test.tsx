import { describe, expect, it, jest } from '@jest/globals';
import type { ReactElement } from 'react';
import { NativeModules, StyleSheet } from 'react-native';
import { act, create, type ReactTestRenderer } from 'react-test-renderer';
import { createDeviceFactory, type Device } from './device.ts';
import { useDevicePrompt, useDeviceStatus } from './hooks.ts';
import { SvcCameraView } from './svc-camera-view.tsx';
import { createFakeNative, match, neverSynced, synced } from './testing/fake-native.ts';

const fake = createFakeNative();
/** Where an app finds what the native code registers. */
NativeModules.SvcDevice = fake.native;

async function openDevice() {
  const native = createFakeNative();
  const creating = createDeviceFactory(native.native)({ deviceToken: 'svcd_a', region: { name: 'EU' } });
  native.call('create').answer(JSON.stringify(neverSynced));
  return { ...native, device: await creating, number: native.call('create').args[0] as number };
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
  it('names its device to the native view and keeps the properties of a view', async () => {
    const { device, number } = await openDevice();
    const rendered = await render(<SvcCameraView accessibilityLabel="camera" device={device} style={{ flex: 1 }} />);
    expect(nativeProps(rendered)).toMatchObject({ accessibilityLabel: 'camera', device: number });
    expect(StyleSheet.flatten(nativeProps(rendered).style)).toEqual({ flex: 1 });
  });

  it('is empty without a device', async () => {
    expect(nativeProps(await render(<SvcCameraView device={null} />)).device).toBe(0);
  });

  it('refuses what is not a device', async () => {
    jest.spyOn(console, 'error').mockImplementation(() => {});
    await expect(render(<SvcCameraView device={{} as Device} />)).rejects.toThrow('not a device of createDevice');
  });
});

describe('hooks', () => {
  it('show the status and the prompt as they change, and nothing without a device', async () => {
    const { call, device, number, tell } = await openDevice();
    const rendered = await render(<Screen shown={null} />);
    await act(async () => rendered.update(<Screen shown={device} />));
    await act(async () => tell(number, 'status', { status: synced }));
    const verifying = device.verifyLiveAsync('ticket-1');
    const prompt = { key: 'look-at-camera', progress: 0, remainingMs: 10_000 };
    await act(async () => tell(number, 'prompt', { attempt: 'AAAAAAAAAAAAAAAAAAAAAA', prompt }));
    await act(async () => {
      call('verifyLive').answer(JSON.stringify(match));
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
    tell(number, 'status', { status: neverSynced });
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
    await act(async () => fake.call('create').answer(JSON.stringify(neverSynced)));
    const number = fake.call('create').args[0] as number;
    expect(text('status')).toBe('Not ready: never-synced');
    expect(fake.call('start').args).toEqual([number]);
    await act(async () => fake.tell(number, 'status', { status: synced }));
    expect(text('status')).toBe('2 people');
    expect(nativeProps(rendered).device).toBe(number);

    const field = rendered.root.find(
      ({ props }) => props.accessibilityLabel === 'Scanned ID' && 'onChangeText' in props,
    );
    await act(async () => field.props.onChangeText('ticket-4711'));
    const button = rendered.root.find(({ props }) => props.testID === 'verify' && 'onPress' in props);
    await act(async () => button.props.onPress());
    await act(async () => button.props.onPress());
    expect(fake.calls.filter(({ method }) => method === 'verifyLive').map(({ args }) => args)).toEqual([
      [number, 'ticket-4711', 'asked'],
    ]);
    await act(async () => fake.call('verifyLive').answer(JSON.stringify(match)));
    expect(text('line')).toBe('Welcome');

    await act(async () => button.props.onPress());
    await act(async () =>
      fake.call('verifyLive').fail(Object.assign(new Error('the page ended'), { code: 'renderer-gone' })),
    );
    expect(text('line')).toBe('renderer-gone: the page ended');
    await act(async () => rendered.unmount());
    expect(fake.call('dispose').args).toEqual([number]);
  });
});
