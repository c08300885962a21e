import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly user?: string;
  readonly image: string;
}

const deploy = new URL('../../../../deploy/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, deploy), 'utf8');
const { services } = parse(read('compose/compose.yaml'), { merge: true }) as { services: Record<string, Service> };
const { setup, ...others } = services;

const confined = {
  ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
  ...{ ulimits: { core: 0 }, logging: { driver: 'local' } },
};

it.each(Object.entries(others))(
  '%s has no rights, a read-only root, no core dumps and a log that rotates',
  (_, service) => {
    expect(service).toMatchObject(confined);
    expect(service).not.toHaveProperty('cap_add');
    const ownUser = /^USER (.*)$/m.exec(read('Containerfile'))?.[1];
    expect(service.user ?? (service.image.includes('SVC_IMAGE') ? ownUser : 'root')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  },
);

it('what gives files to their readers as root has no other right and no network', () => {
  expect(setup).toMatchObject({ ...confined, cap_add: ['CHOWN', 'DAC_OVERRIDE'], network_mode: 'none' });
});
