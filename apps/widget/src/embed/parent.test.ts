import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FrameMessage } from './messages.ts';
import { connectToParent, type ParentPage } from './parent.ts';

const HELLO = { svc: 'hello', version: 1 };

/** A window in a frame. A test names the window that a message comes from. */
class Framed extends EventTarget {
  readonly parent = new EventTarget() as unknown as Window;
  readonly port2s: MessagePort[] = [];

  say(data: unknown, o: { readonly source?: unknown; readonly withPort?: boolean } = {}): FrameMessage[] {
    const { source = this.parent, withPort = true } = o;
    const { port1, port2 } = new MessageChannel();
    const heard: FrameMessage[] = [];
    port1.onmessage = ({ data: told }) => heard.push(told as FrameMessage);
    this.port2s.push(port1, port2);
    // Node's MessageEvent does not accept a window as its source.
    const event = Object.assign(new Event('message'), { data, source, ports: withPort ? [port2] : [] });
    this.dispatchEvent(event);
    return heard;
  }
}

let view: Framed;
let parent: ParentPage;
let heights: number[];

function connect(): void {
  view = new Framed();
  heights = [];
  parent = connectToParent(view as unknown as Window, (px) => heights.push(px));
}

afterEach(() => {
  for (const port of view.port2s) port.close();
});

describe('the parent page', () => {
  it('is told once what happened before its hello, and everything afterwards', async () => {
    connect();
    parent.tell({ type: 'height', px: 400 });
    parent.tell({ type: 'ready' });
    parent.tell({ type: 'height', px: 600 });
    const heard = view.say(HELLO);
    parent.tell({ type: 'declined' });
    await expect
      .poll(() => heard)
      .toEqual([{ type: 'hello' }, { type: 'ready' }, { type: 'height', px: 600 }, { type: 'declined' }]);
  });

  it.each([
    ['another window', HELLO, { source: new EventTarget() }],
    ['no window', HELLO, { source: null }],
    ['no channel', HELLO, { withPort: false }],
    ['another message', { svc: 'goodbye', version: 1 }, {}],
    ['another version', { svc: 'hello', version: 2 }, {}],
    ['a text', 'hello', {}],
  ])('is not the sender with %s', async (_what, data, o) => {
    connect();
    const notHeard = view.say(data, o);
    const heard = view.say(HELLO);
    parent.tell({ type: 'ready' });
    await expect.poll(() => heard).toEqual([{ type: 'hello' }, { type: 'ready' }]);
    expect(notHeard).toEqual([]);
  });

  it('is the first one that says hello', async () => {
    connect();
    const first = view.say(HELLO);
    const second = view.say(HELLO);
    parent.tell({ type: 'enrolled' });
    await expect.poll(() => first).toEqual([{ type: 'hello' }, { type: 'enrolled' }]);
    expect(second).toEqual([]);
  });

  it('says how high its window is, and nothing else', async () => {
    connect();
    view.say(HELLO);
    const [loader] = view.port2s;
    for (const message of [{ type: 'window', px: 640 }, { type: 'decline' }, 'x', { type: 'window', px: 375 }])
      loader?.postMessage(message);
    await expect.poll(() => heights).toEqual([640, 375]);
  });

  it('does not exist for a guest link', () => {
    view = new Framed();
    const listen = vi.spyOn(view, 'addEventListener');
    Object.assign(view, { parent: view });
    parent = connectToParent(view as unknown as Window);
    expect(parent.isThere).toBe(false);
    parent.tell({ type: 'ready' });
    expect(listen).not.toHaveBeenCalled();
  });
});
