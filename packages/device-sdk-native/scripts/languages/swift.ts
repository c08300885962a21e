import {
  type ClassType,
  type EnumType,
  getOptionValues,
  type Name,
  type RenderContext,
  type Sourcelike,
  SwiftRenderer,
  SwiftTargetLanguage,
  swiftOptions,
} from 'quicktype-core';
import { type Condition, formsOf, IS_ONE_FORM } from './forms.ts';
import { isNullable, isRoot, unexpected, withoutNull } from './type-graph.ts';

/** Structs that are `Codable`. A member that may be null is written as null, one that may be absent is left out. */
export class Swift extends SwiftTargetLanguage {
  protected override makeRenderer(context: RenderContext, options: Record<string, unknown>): Renderer {
    return new Renderer(this, context, getOptionValues(swiftOptions, options));
  }
}

class Renderer extends SwiftRenderer {
  /** `none` means another thing in an optional; the language's other words are names like all others after a dot. */
  protected override forbiddenForEnumCases(): ReturnType<SwiftRenderer['forbiddenForObjectProperties']> {
    return { names: ['none', 'self', 'init'], includeGlobalForbidden: false };
  }

  protected override emitSourceStructure(): void {
    this.emitComments(this.leadingComments ?? []);
    this.forEachNamedType(
      'leading-and-interposing',
      (type: ClassType, name: Name) => this.#emitStruct(type, name),
      (type, name) => this.#emitEnum(type, name),
      unexpected,
    );
  }

  #emitEnum(type: EnumType, name: Name): void {
    this.emitDescription(this.descriptionForType(type));
    this.emitLine('public enum ', name, ': String, Codable, CaseIterable, Sendable {');
    this.indent(() =>
      this.forEachEnumCase(type, 'none', (each, value) => this.emitLine('case ', each, ` = "${value}"`)),
    );
    this.emitLine('}');
  }

  #emitStruct(type: ClassType, name: Name): void {
    if (isRoot(type) || type.getProperties().size === 0) return;
    const members = this.initializableProperties(type);
    this.emitDescription(this.descriptionForType(type));
    this.emitLine('public struct ', name, ': Codable, Equatable, Sendable {');
    this.indent(() => {
      for (const { name: each, jsonName, parameter } of members) {
        this.emitDescription(this.descriptionForClassProperty(type, jsonName));
        this.emitLine('public let ', each, ': ', this.swiftPropertyType(parameter));
      }
      this.ensureBlankLine();
      this.emitLine('public init(');
      this.indent(() => {
        for (const [i, { name: each, parameter }] of members.entries()) {
          const absent = parameter.isOptional ? ' = nil' : '';
          this.emitLine(each, ': ', this.swiftPropertyType(parameter), absent, i < members.length - 1 ? ',' : '');
        }
      });
      this.emitLine(') {');
      this.indent(() => {
        for (const { name: each } of members) this.emitLine('self.', each, ' = ', each);
      });
      this.emitLine('}');
      if (members.some(({ parameter }) => isNullable(parameter.type) && !parameter.isOptional))
        this.#emitEncode(members);
      this.#emitForms(members, name);
    });
    this.emitLine('}');
  }

  #emitForms(members: ReturnType<SwiftRenderer['initializableProperties']>, name: Name): void {
    const forms = formsOf(this.sourcelikeToString(name));
    if (forms.length === 0) return;
    this.ensureBlankLine();
    this.emitLine(`/// ${IS_ONE_FORM}`);
    this.emitLine('public var isOneForm: Bool {');
    this.indent(() => {
      for (const form of forms) {
        const all = form.flatMap((each, i) => [i === 0 ? '' : ', ', this.#condition(members, each)]);
        this.emitLine('if ', all, ' { return true }');
      }
      this.emitLine('return false');
    });
    this.emitLine('}');
  }

  #condition(members: ReturnType<SwiftRenderer['initializableProperties']>, { member, values }: Condition): Sourcelike {
    const { name, parameter } = members.find(({ jsonName }) => jsonName === member) ?? unexpected();
    if (values === null) return [name, ' != nil'];
    if (typeof values[0] === 'boolean') return [values[0] ? '' : '!', name];
    const of = withoutNull(parameter.type) as EnumType;
    const cases = values.map((value) => [this.nameForNamedType(of), '.', this.nameForEnumCase(of, String(value))]);
    if (cases.length === 1) return [name, ' == ', cases[0] ?? ''];
    return ['[', cases.flatMap((each, i) => [i === 0 ? '' : ', ', each]), '].contains(', name, ')'];
  }

  /** The compiler's own leaves members out that are null. */
  #emitEncode(members: ReturnType<SwiftRenderer['initializableProperties']>): void {
    this.ensureBlankLine();
    this.emitLine('public func encode(to encoder: any Encoder) throws {');
    this.indent(() => {
      this.emitLine('var container = encoder.container(keyedBy: CodingKeys.self)');
      for (const { name: each, parameter } of members) {
        this.emitLine(
          'try container.',
          parameter.isOptional ? 'encodeIfPresent' : 'encode',
          '(',
          each,
          ', forKey: .',
          each,
          ')',
        );
      }
    });
    this.emitLine('}');
  }
}
