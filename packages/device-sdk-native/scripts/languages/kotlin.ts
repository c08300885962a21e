import {
  type ClassType,
  type EnumType,
  getOptionValues,
  KotlinRenderer,
  KotlinTargetLanguage,
  kotlinOptions,
  matchType,
  type Name,
  type RenderContext,
  type Sourcelike,
  type Type,
} from 'quicktype-core';
import { type Condition, formsOf } from './forms.ts';
import { isNullable, isRoot, unexpected, withoutNull } from './type-graph.ts';

/**
 * Data classes that read and write `org.json`, which every Android has. Reading another form throws a RuntimeException
 * or JSON's own.
 */
export class Kotlin extends KotlinTargetLanguage {
  protected override makeRenderer(context: RenderContext, options: Record<string, unknown>): Renderer {
    return new Renderer(this, context, getOptionValues(kotlinOptions, options));
  }
}

class Renderer extends KotlinRenderer {
  protected override emitDescriptionBlock(lines: Sourcelike[]): void {
    if (lines.length === 1) this.emitLine('/** ', ...lines, ' */');
    else super.emitDescriptionBlock(lines);
  }

  protected override emitSourceStructure(): void {
    this.emitHeader();
    this.emitLine('import org.json.JSONArray');
    this.emitLine('import org.json.JSONObject');
    this.forEachNamedType(
      'leading-and-interposing',
      (type: ClassType, name: Name) => this.#emitClass(type, name),
      (type, name) => this.#emitEnum(type, name),
      unexpected,
    );
  }

  #emitEnum(type: EnumType, name: Name): void {
    this.emitDescription(this.descriptionForType(type));
    this.emitBlock(['enum class ', name, '(val value: String)'], () => {
      let left = type.cases.size;
      this.forEachEnumCase(type, 'none', (each, value) => {
        left -= 1;
        this.emitLine(each, `("${value}")`, left === 0 ? ';' : ',');
      });
      this.ensureBlankLine();
      this.emitBlock('companion object', () => {
        this.emitLine('fun of(value: String): ', name, ' = values().first { it.value == value }');
      });
    });
  }

  #emitClass(type: ClassType, name: Name): void {
    if (isRoot(type) || type.getProperties().size === 0) return;
    this.emitDescription(this.descriptionForType(type));
    this.emitLine('data class ', name, '(');
    this.indent(() => {
      this.forEachClassProperty(type, 'none', (each, key, { type: of, isOptional }) => {
        this.emitDescription(this.descriptionForClassProperty(type, key));
        const canBeNull = isOptional || isNullable(of);
        this.emitLine('val ', each, ': ', this.kotlinType(withoutNull(of)), canBeNull ? '? = null,' : ',');
      });
    });
    this.emitLine(') {');
    this.indent(() => {
      this.#emitForms(type, name);
      this.emitBlock('fun toJson(): JSONObject', () => {
        this.emitLine('val json = JSONObject()');
        this.forEachClassProperty(type, 'none', (each, key, { type: of, isOptional }) => {
          const put = (value: Sourcelike): Sourcelike => [`json.put("${key}", `, value, ')'];
          const plain = this.#written(withoutNull(of), isOptional || isNullable(of) ? 'it' : each);
          if (isOptional) this.emitLine(each, '?.let { ', put(plain), ' }');
          else this.emitLine(put(isNullable(of) ? [each, '?.let { ', plain, ' } ?: JSONObject.NULL'] : plain));
        });
        this.emitLine('return json');
      });
      this.ensureBlankLine();
      this.emitBlock('companion object', () => {
        this.emitLine('fun fromJson(json: JSONObject): ', name, ' = ', name, '(');
        this.indent(() => {
          this.forEachClassProperty(type, 'none', (each, key, { type: of, isOptional }) => {
            const read = this.#read(withoutNull(of), `json.get("${key}")`);
            const isThere = isOptional || isNullable(of) ? `if (json.isNull("${key}")) null else ` : '';
            this.emitLine(each, ' = ', isThere, read, ',');
          });
        });
        this.emitLine(')');
      });
    });
    this.emitLine('}');
  }

  /** A value of no form cannot be made, nor read. */
  #emitForms(type: ClassType, name: Name): void {
    const forms = formsOf(this.sourcelikeToString(name));
    if (forms.length === 0) return;
    this.emitBlock('init', () => {
      this.emitLine('require(');
      this.indent(() => {
        for (const [i, form] of forms.entries()) {
          const all = form.flatMap((each, j) => [j === 0 ? '' : ' && ', this.#condition(type, each)]);
          this.emitLine(forms.length > 1 ? ['(', all, ')'] : all, i < forms.length - 1 ? ' ||' : ',');
        }
      });
      this.emitLine(') { "its members do not belong together" }');
    });
    this.ensureBlankLine();
  }

  #condition(type: ClassType, { member, values }: Condition): Sourcelike {
    const [name, of] = this.#member(type, member);
    if (values === null) return [name, ' != null'];
    if (typeof values[0] === 'boolean') return [values[0] ? '' : '!', name];
    const cases = values.map((value) => [
      this.nameForNamedType(of),
      '.',
      this.nameForEnumCase(of as EnumType, String(value)),
    ]);
    if (cases.length === 1) return [name, ' == ', cases[0] ?? ''];
    return [name, ' in setOf(', cases.flatMap((each, i) => [i === 0 ? '' : ', ', each]), ')'];
  }

  #member(type: ClassType, member: string): readonly [Name, Type] {
    const found: [Name, Type][] = [];
    this.forEachClassProperty(type, 'none', (name, key, { type: of }) => {
      if (key === member) found.push([name, withoutNull(of)]);
    });
    return found[0] ?? unexpected();
  }

  #written(type: Type, value: Sourcelike): Sourcelike {
    return matchType<Sourcelike>(
      type,
      unexpected,
      unexpected,
      () => value,
      () => value,
      () => value,
      () => value,
      ({ items }) => ['JSONArray(', value, '.map { ', this.#written(items, 'it'), ' })'],
      () => [value, '.toJson()'],
      () => ['JSONObject(', value, ')'],
      () => [value, '.value'],
      unexpected,
    );
  }

  #read(type: Type, value: Sourcelike): Sourcelike {
    return matchType<Sourcelike>(
      type,
      unexpected,
      unexpected,
      () => [value, ' as Boolean'],
      () => ['(', value, ' as Number).toLong()'],
      () => ['(', value, ' as Number).toDouble()'],
      () => [value, ' as String'],
      ({ items }) => [
        '(',
        value,
        ' as JSONArray).let { all -> List(all.length()) { ',
        this.#read(items, 'all.get(it)'),
        ' } }',
      ],
      (of) => [this.nameForNamedType(of), '.fromJson(', value, ' as JSONObject)'],
      ({ values }) => [
        '(',
        value,
        ' as JSONObject).let { all -> all.keys().asSequence().associateWith { ',
        this.#read(values, 'all.get(it)'),
        ' } }',
      ],
      (of) => [this.nameForNamedType(of), '.of(', value, ' as String)'],
      unexpected,
    );
  }
}
