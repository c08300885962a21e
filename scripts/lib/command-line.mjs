import { parseArgs } from 'node:util';

/**
 * The scripts of package.json: what each does, how long it takes, the words and options that it knows (with a value
 * where one is named). What has a command line of its own says so by `own`.
 */
export const commands = {
  start: {
    does: 'Installs what a fresh clone lacks, including the recommended models, and serves http://127.0.0.1:3000 until Ctrl-C, with an embedded PostgreSQL in .data/. Settings are environment variables (docs/reference/settings.md).',
    takes: 'in a fresh clone under a minute until it is ready, later seconds',
  },
  test: {
    does: 'Installs what a fresh clone lacks, then runs every check and every test.',
    takes: 'ten minutes on two cores',
  },
  demo: {
    does: 'Runs the whole flow once, in a temporary folder: enrolments, a sync, visits and attacks.',
    takes: 'a minute or two',
  },
  'demo:dashboard': {
    does: 'Fills an account with an event of rendered guests, serves it, and removes it at Ctrl-C.',
    takes: 'a minute or two until it is ready',
    options: { 'guests <number>': 'enrolled guests, 5 to 10000; default 2000' },
  },
  svc: {
    does: 'Operates a deployment; inspects, compares, evaluates (docs/reference/cli.md).',
    takes: 'seconds',
    own: true,
  },
  bench: {
    does: 'Measures speed, one process per suite, and writes docs/internals/benchmarks.md.',
    takes: 'minutes per suite, on an otherwise idle machine',
    words: '[suite …]',
  },
  load: {
    does: 'Simulates devices against its own service and, with the default numbers, writes docs/operate/capacity.md.',
    takes: 'hours, or the minutes of --minutes and --outage',
    words: '[fleet|million|curves|payloads …]',
    options: {
      'devices <number>': 'of the fleet, or of the payloads',
      'people <number>': 'of a list, of the million, or of the payloads’ lists',
      'minutes <number>': 'of steady work',
      'outage <number>': 'minutes of the outage',
    },
  },
  'test:long': {
    does: 'Runs the campaigns of scripts/test-long.mjs, and continues after a failure.',
    takes: 'hours; at the end it shows how long each took',
    options: {
      list: 'lists the campaigns and runs none',
      'from <part of a name>': 'starts with that campaign',
      'only <part of a name>': 'that campaign; repeatable',
    },
  },
  'test:mutants': {
    does: 'Removes one check at a time in a copy of the repository and requires that a test fails.',
    takes: 'hours, or seconds per check for those whose names contain a word',
    words: '[word …]',
    options: { table: 'only checks that the table matches the sources' },
  },
  pictures: {
    does: 'Makes the pictures of the manual, docs/pictures, by Chromium from the pages with rendered guests.',
    takes: 'minutes',
    options: { check: 'makes them elsewhere, and fails for each that shows something else than the committed one' },
  },
  'measure:start': {
    does: 'Types the README into a fresh clone with empty caches, times it, and leaves nothing behind.',
    takes: 'two minutes',
  },
  package: {
    does: 'Packs everything that production needs into release/svc-VERSION.tar.zst.',
    takes: 'minutes',
    options: {
      'out <folder>': 'instead of release/',
      folder: 'leaves it unpacked',
      'arch <name>': 'for arm64 or x64, in place of this machine’s',
      try: 'unpacks it elsewhere and tests it',
    },
  },
  check: { does: 'Runs every static check: format, lint, types, layers, packages, sizes.', takes: 'minutes' },
  outdated: {
    does: 'Lists which dependencies are behind, those by a major version with the reason, and asks for advisories.',
    takes: 'a minute',
  },
  'check:swift': {
    does: 'Compiles the iOS shell against stubs of Apple’s frameworks and runs its tests.',
    takes: 'minutes',
    options: { install: 'installs Debian’s compiler', 'try-install': 'the same, and continues if that fails' },
  },
  changeset: {
    does: 'Records a change that users notice (docs/internals/releasing.md).',
    takes: 'seconds',
    own: true,
  },
  release: {
    does: 'Creates the next version from the pending changesets, publishes it, or rehearses that (docs/internals/releasing.md).',
    takes: 'seconds; the rehearsal a quarter of an hour on two cores',
    options: {
      note: 'prints the note of the next release, and changes nothing',
      'registry <url>': 'publishes the packages there, and tags the commit',
      'dry-run': 'with --registry: says what would be published, and what is in the way',
      pack: 'writes the packages of this tree as tarballs into release/npm-X.Y.Z/',
      rehearse: 'publishes to a registry on this machine; installs and runs the packages in ten kinds of project',
      'only <part of a kind>': 'that kind of the rehearsal; repeatable',
      'node <version>': 'of the rehearsal: the Nodes whose version begins so',
    },
  },
  format: { does: 'Formats everything and applies safe fixes, with Biome.', takes: 'seconds' },
};

const optionsOf = ({ options = {} }) =>
  Object.entries(options).map(([usage, does]) => ({ usage, does, name: usage.split(' ')[0] }));

/** The help of a script. */
export function helpOf(name) {
  const command = commands[name];
  const options = [...optionsOf(command), { usage: 'help', does: 'prints this help and does nothing else' }];
  const width = Math.max(...options.map(({ usage }) => usage.length));
  const usage = `npm run ${name}${command.words ? ` -- ${command.words}` : ''}`;
  const lines = options.map(({ usage: option, does }) => `  --${option.padEnd(width)}  ${does}\n`);
  return `${usage}\n\n${command.does}\nTakes ${command.takes}.\n\n${lines.join('')}`;
}

/** @returns what to print instead of running, with the exit code; null to run */
export function refusalOf(name, args) {
  const command = commands[name];
  if (command.own) return null;
  const options = optionsOf(command).map(({ name: option, usage }) => [
    option,
    usage === option ? { type: 'boolean' } : { type: 'string', multiple: true },
  ]);
  try {
    const known = { help: { type: 'boolean', short: 'h' }, ...Object.fromEntries(options) };
    const { values } = parseArgs({ args, options: known, allowPositionals: command.words !== undefined });
    return values.help ? { exitCode: 0, text: helpOf(name) } : null;
  } catch (error) {
    return { exitCode: 2, text: `${error.message}\n\n${helpOf(name)}` };
  }
}
