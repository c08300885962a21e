import { expectTypeOf } from 'vitest';
import type { MountOptions, WidgetErrorDetail, WidgetHandle } from './api.ts';

// Compiled by `typecheck` alone.
declare const container: HTMLElement;

expectTypeOf(Svc.mount(container, 'svce_…')).toEqualTypeOf<WidgetHandle>();
expectTypeOf(Svc.mount).parameter(2).toEqualTypeOf<MountOptions | undefined>();
expectTypeOf<Parameters<NonNullable<MountOptions['onError']>>>().toEqualTypeOf<[WidgetErrorDetail]>();
const handle = Svc.mount(container, 'svce_…', { theme: 'dark', onExpired: () => handle.reset('svce_…') });
handle.reset();
// @ts-expect-error a token is a text
handle.reset(null);
container.addEventListener('svc:error', ({ detail }) => expectTypeOf(detail.message).toBeString());
container.addEventListener('svc:enrolled', ({ detail }) => expectTypeOf(detail).toBeNull());

// @ts-expect-error no token
Svc.mount(container);
// @ts-expect-error no such theme
Svc.mount(container, 'svce_…', { theme: 'blue' });
