import {
  type ClassType,
  DartRenderer,
  DartTargetLanguage,
  dartOptions,
  type EnumType,
  getOptionValues,
  matchType,
  type Name,
  type Namer,
  type RenderContext,
  type Sourcelike,
  type Type,
} from 'quicktype-core';
import { type Condition, formsOf, IS_ONE_FORM } from './forms.ts';
import { isNullable, isRoot, unexpected, withoutNull } from './type-graph.ts';

/** Final classes that read and write decoded JSON. Reading another form throws a TypeError or a StateError. */
export class Dart extends DartTargetLanguage {
  protected override makeRenderer(context: RenderContext, options: Record<string, unknown>): Renderer {
    return new Renderer(this, context, getOptionValues(dartOptions, options));
  }
}

class Renderer extends DartRenderer {
  protected override makeEnumCaseNamer(): Namer {
    return this.namerForObjectProperty();
  }

  protected override emitDescriptionBlock(lines: Sourcelike[]): void {
    this.emitCommentLines(lines, { lineStart: '/// ' });
  }

  protected override emitSourceStructure(): void {
    this.emitComments(this.leadingComments ?? []);
    this.forEachNamedType(
      'leading-and-interposing',
      (type: ClassType, name: Name) => this.#emitClass(type, name),
      (type, name) => this.#emitEnum(type, name),
      unexpected,
    );
  }

  #emitEnum(type: EnumType, name: Name): void {
    this.emitDescription(this.descriptionForType(type));
    this.emitBlock(['enum ', name], () => {
      let left = type.cases.size;
      this.forEachEnumCase(type, 'none', (each, value) => {
        left -= 1;
        this.emitLine(each, `('${value}')`, left === 0 ? ';' : ',');
      });
      this.ensureBlankLine();
      this.emitLine('const ', name, '(this.value);');
      this.ensureBlankLine();
      this.emitLine('factory ', name, '.of(Object? value) => values.firstWhere((each) => each.value == value);');
      this.ensureBlankLine();
      this.emitLine('final String value;');
    });
  }

  #emitClass(type: ClassType, name: Name): void {
    if (isRoot(type) || type.getProperties().size === 0) return;
    this.emitDescription(this.descriptionForType(type));
    this.emitBlock(['final class ', name], () => {
      this.emitLine('const ', name, '({');
      this.indent(() => {
        this.forEachClassProperty(type, 'none', (each, _, { isOptional }) =>
          this.emitLine(isOptional ? '' : 'required ', 'this.', each, ','),
        );
      });
      this.emitLine('});');
      this.ensureBlankLine();
      const forms = formsOf(this.sourcelikeToString(name));
      const read = forms.length > 0 ? '_read' : 'fromJson';
      if (forms.length > 0) {
        this.emitLine('factory ', name, '.fromJson(Map<String, dynamic> json) {');
        this.indent(() => {
          this.emitLine('final value = ', name, '._read(json);');
          this.emitLine("if (!value.isOneForm) throw StateError('its members do not belong together');");
          this.emitLine('return value;');
        });
        this.emitLine('}');
        this.ensureBlankLine();
      }
      this.emitLine('factory ', name, `.${read}(Map<String, dynamic> json) => `, name, '(');
      this.indent(() => {
        this.forEachClassProperty(type, 'none', (each, key, { type: of, isOptional }) => {
          const isThere = isOptional || isNullable(of) ? `json['${key}'] == null ? null : ` : '';
          this.emitLine(each, ': ', isThere, this.#read(withoutNull(of), `json['${key}']`), ',');
        });
      });
      this.emitLine(');');
      this.ensureBlankLine();
      this.forEachClassProperty(type, 'none', (each, key, { type: of, isOptional }) => {
        this.emitDescription(this.descriptionForClassProperty(type, key));
        this.emitLine('final ', this.dartType(withoutNull(of)), isOptional || isNullable(of) ? '? ' : ' ', each, ';');
      });
      this.ensureBlankLine();
      if (forms.length > 0) {
        this.emitLine(`/// ${IS_ONE_FORM}`);
        this.emitLine('bool get isOneForm =>');
        this.indent(() => {
          for (const [i, form] of forms.entries()) {
            const all = form.flatMap((each, j) => [j === 0 ? '' : ' && ', this.#condition(type, each)]);
            this.emitLine('(', all, i < forms.length - 1 ? ') ||' : ');');
          }
        });
        this.ensureBlankLine();
      }
      this.emitLine('Map<String, dynamic> toJson() => {');
      this.indent(() => {
        this.forEachClassProperty(type, 'none', (each, key, { type: of, isOptional }) => {
          const value = this.#written(withoutNull(of), each, isOptional || isNullable(of));
          this.emitLine(isOptional ? ['if (', each, ' != null) '] : '', `'${key}': `, value, ',');
        });
      });
      this.emitLine('};');
    });
  }

  #condition(type: ClassType, { member, values }: Condition): Sourcelike {
    const found: [Name, Type][] = [];
    this.forEachClassProperty(type, 'none', (name, key, { type: of }) => {
      if (key === member) found.push([name, withoutNull(of)]);
    });
    const [name, of] = found[0] ?? unexpected();
    if (values === null) return [name, ' != null'];
    if (typeof values[0] === 'boolean') return [values[0] ? '' : '!', name];
    const cases = values.map((value) => [
      this.nameForNamedType(of),
      '.',
      this.nameForEnumCase(of as EnumType, String(value)),
    ]);
    if (cases.length === 1) return [name, ' == ', cases[0] ?? ''];
    return ['const {', cases.flatMap((each, i) => [i === 0 ? '' : ', ', each]), '}.contains(', name, ')'];
  }

  #written(type: Type, value: Sourcelike, canBeNull = false): Sourcelike {
    const dot = canBeNull ? '?.' : '.';
    return matchType<Sourcelike>(
      type,
      unexpected,
      unexpected,
      () => value,
      () => value,
      () => value,
      () => value,
      ({ items }) => [value, dot, 'map((each) => ', this.#written(items, 'each'), ').toList()'],
      () => [value, dot, 'toJson()'],
      () => value,
      () => [value, dot, 'value'],
      unexpected,
    );
  }

  #read(type: Type, value: Sourcelike): Sourcelike {
    return matchType<Sourcelike>(
      type,
      unexpected,
      unexpected,
      () => [value, ' as bool'],
      () => [value, ' as int'],
      () => ['(', value, ' as num).toDouble()'],
      () => [value, ' as String'],
      ({ items }) => ['[for (final each in ', value, ' as List<dynamic>) ', this.#read(items, 'each'), ']'],
      (of) => [this.nameForNamedType(of), '.fromJson(', value, ' as Map<String, dynamic>)'],
      ({ values }) => ['(', value, ' as Map<String, dynamic>).cast<String, ', this.dartType(values), '>()'],
      (of) => [this.nameForNamedType(of), '.of(', value, ')'],
      unexpected,
    );
  }
}
