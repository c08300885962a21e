import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly user?: string;
  readonly build?: { readonly context: string };
}

const deploy = new URL('../../../../deploy/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, deploy), 'utf8');
const { services } = parse(read('compose/compose.yaml'), { merge: true }) as { services: Record<string, Service> };

/** The user of the image: the nodes' is that of deploy/Containerfile. */
const ownUser = ({ build }: Service): string | undefined =>
  /^USER (.*)$/m.exec(read(`compose/${build?.context ?? '..'}/Containerfile`))?.[1];

it.each(Object.entries(services))(
  '%s has no rights, a read-only root, no core dumps and a log that rotates',
  (name, service) => {
    expect(service).toMatchObject({
      ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      ...{ ulimits: { core: 0 }, logging: { driver: 'local' } },
    });
    const isOurs = /^(api-|migrate)/.test(name) || service.build !== undefined;
    expect(service.user ?? (isOurs ? ownUser(service) : 'root')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  },
);
