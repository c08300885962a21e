import { type FaceRule, faceRules } from '@svc/benchmarks/research/recognition/enrolment';
import { engineRecipes, type PassiveModelName, passiveModelNames, versionsOf } from '@svc/face-models';
import {
  isCountry,
  isText,
  MAX_NAME_CODE_POINTS,
  type MetadataChange,
  metadataChangeSchema,
  PAGE_LIMIT,
  type Validated,
  validateBody,
} from '@svc/protocol';
import { InvalidArgumentError, Option } from 'commander';
import { CliError, describeField, exitCodes } from '../cli-error.ts';

/**
 * For what nothing brings back.
 * @param effect what the command does, as the end of a sentence
 * @throws CliError without `--yes`
 */
export function requireYes(options: { readonly yes?: true }, effect: string): void {
  if (!options.yes) throw new CliError(`this ${effect} and cannot be undone. Re-run with --yes`);
}

export interface JsonOption {
  readonly json?: true;
}

export interface FaceOption {
  readonly face: FaceRule;
}

/** `--face one|largest` */
export function faceOption(): Option {
  return new Option(
    '--face <rule>',
    'one: as for enrolment, including quality; largest: the largest face, even if others are in view',
  )
    .choices(faceRules)
    .default('one');
}

export interface EngineOption {
  readonly engine?: string;
}

/** `--engine <id>`, a former version's too; without it the bundle's default. */
export function engineOption(): Option {
  const ids = engineRecipes.flatMap(versionsOf).map(({ engineId }) => engineId);
  return new Option('--engine <id>', 'the engine that creates the templates').choices(ids);
}

export interface PassiveModelOption {
  readonly passiveModel?: PassiveModelName;
}

/** `--passive-model <name>`; without it the bundle's default. */
export function passiveModelOption(): Option {
  return new Option('--passive-model <name>', 'the model of the passive check').choices(passiveModelNames);
}

export interface MetadataOption {
  readonly metadata?: MetadataChange;
}

/** `--metadata key=value`, once for each key. */
export function metadataOption(): Option {
  function parse(text: string, before?: MetadataChange): MetadataChange {
    const at = text.indexOf('=');
    if (at < 0) throw new InvalidArgumentError('It must be key=value.');
    const metadata = validateBody(metadataChangeSchema, { ...before, [text.slice(0, at)]: text.slice(at + 1) });
    if (metadata.ok) return metadata.value ?? null;
    throw new InvalidArgumentError(metadata.errors.map(describeField).join('; '));
  }
  return new Option('--metadata <key=value>', 'a note with your own key; an empty value removes it').argParser(parse);
}

export const passiveMissing = () =>
  new CliError(
    'passive liveness is not installed: svc models add minifasnet, or use --staff-in-view',
    exitCodes.environment,
  );

// The functions below parse option values for commander, which prints what they throw in one line.

/** A date or a timestamp of ISO 8601. */
export function time(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError('It must be an ISO 8601 date or timestamp.');
  return at;
}

/** A name as the API takes it. */
export function name(text: string): string {
  if (!isText(text, MAX_NAME_CODE_POINTS)) {
    throw new InvalidArgumentError(`It must have 1 to ${MAX_NAME_CODE_POINTS} characters.`);
  }
  return text;
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('It must be a number above 0.');
  }
  return value;
}

/** A rate between 0 and 1, both excluded. */
export function rate(text: string): number {
  const value = positiveNumber(text);
  if (value >= 1) throw new InvalidArgumentError('It must be between 0 and 1.');
  return value;
}

export function wholeNumber(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Rows of a page, as the API takes them. */
export function pageLimit(text: string): number {
  const limit = wholeNumber(text);
  if (limit < PAGE_LIMIT.min || limit > PAGE_LIMIT.max) {
    throw new InvalidArgumentError(`It must be from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}.`);
  }
  return limit;
}

/**
 * A request put together out of options, validated as the API does.
 * @param what named in the message, for example `the list`
 * @throws CliError naming the first field that is wrong
 */
export function requireValid<T>(result: Validated<T>, what: string): T {
  if (result.ok) return result.value;
  const [first] = result.errors;
  throw new CliError(`${what} cannot be created: ${first === undefined ? 'invalid' : describeField(first)}`);
}

/** ISO 3166-1 alpha-2, in any case. */
export function country(text: string): string {
  const code = text.toUpperCase();
  if (!isCountry(code)) throw new InvalidArgumentError('It must be an ISO 3166-1 alpha-2 country code.');
  return code;
}
