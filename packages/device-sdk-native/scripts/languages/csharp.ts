import {
  type ClassType,
  CSharpRenderer,
  CSharpTargetLanguage,
  cSharpOptions,
  type EnumType,
  getOptionValues,
  type Name,
  type RenderContext,
  type Sourcelike,
  type Type,
} from 'quicktype-core';
import { type Condition, formsOf, IS_ONE_FORM } from './forms.ts';
import { isNullable, isRoot, unexpected, withoutNull } from './type-graph.ts';

/** Records for System.Text.Json of .NET 9. */
export class CSharp extends CSharpTargetLanguage {
  /** quicktype's own converters are not written. */
  override needsTransformerForType(): boolean {
    return false;
  }

  protected override makeRenderer(context: RenderContext, options: Record<string, unknown>): Renderer {
    return new Renderer(this, context, getOptionValues(cSharpOptions, options));
  }
}

class Renderer extends CSharpRenderer {
  protected override emitDescriptionBlock(lines: Sourcelike[]): void {
    if (lines.length === 1) this.emitLine('/// <summary>', ...lines, '</summary>');
    else super.emitDescriptionBlock(lines);
  }

  protected override emitSourceStructure(): void {
    this.emitComments(this.leadingComments ?? []);
    this.emitLine('#nullable enable');
    this.ensureBlankLine();
    this.emitLine('using System.Text.Json;');
    this.emitLine('using System.Text.Json.Serialization;');
    this.ensureBlankLine();
    this.emitLine('namespace Svc.Device.Contract;');
    this.ensureBlankLine();
    this.emitLine('/// <summary>Reads and writes the contract’s own values alone, never numbers.</summary>');
    this.emitLine(
      'public sealed class ClosedEnum<T>() : JsonStringEnumConverter<T>(null, false) where T : struct, Enum;',
    );
    this.forEachNamedType(
      'leading-and-interposing',
      (type: ClassType, name: Name) => this.#emitRecord(type, name),
      (type, name) => this.#emitEnum(type, name),
      unexpected,
    );
  }

  #emitEnum(type: EnumType, name: Name): void {
    this.emitDescription(this.descriptionForType(type));
    this.emitLine('[JsonConverter(typeof(ClosedEnum<', name, '>))]');
    this.emitLine('public enum ', name);
    this.emitBlock(() =>
      this.forEachEnumCase(type, 'none', (each, value) =>
        this.emitLine(`[JsonStringEnumMemberName("${value}")] `, each, ','),
      ),
    );
  }

  #emitRecord(type: ClassType, name: Name): void {
    if (isRoot(type) || type.getProperties().size === 0) return;
    this.emitDescription(this.descriptionForType(type));
    const forms = formsOf(this.sourcelikeToString(name));
    this.emitLine('public sealed record ', name, forms.length > 0 ? ' : IJsonOnDeserialized' : '');
    this.emitBlock(() => {
      let isFirst = true;
      this.forEachClassProperty(type, 'none', (each, key, { type: of, isOptional }) => {
        if (!isFirst) this.ensureBlankLine();
        isFirst = false;
        this.emitDescription(this.descriptionForClassProperty(type, key));
        const ignored = isOptional ? ', JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)' : '';
        const mark = isOptional || isNullable(of) ? '?' : '';
        this.emitLine(`[JsonPropertyName("${key}")${ignored}]`);
        this.emitLine(
          'public ',
          isOptional ? '' : 'required ',
          this.csType(withoutNull(of)),
          mark,
          ' ',
          each,
          ' { get; init; }',
        );
      });
      if (forms.length > 0) this.#emitForms(type, forms);
    });
  }

  #emitForms(type: ClassType, forms: readonly (readonly Condition[])[]): void {
    this.ensureBlankLine();
    this.emitLine(`/// <summary>${IS_ONE_FORM}</summary>`);
    this.emitLine('[JsonIgnore]');
    this.emitLine('public bool IsOneForm =>');
    this.indent(() => {
      for (const [i, form] of forms.entries()) {
        const all = form.flatMap((each, j) => [j === 0 ? '' : ' && ', this.#condition(type, each)]);
        this.emitLine('(', all, i < forms.length - 1 ? ') ||' : ');');
      }
    });
    this.ensureBlankLine();
    this.emitLine('void IJsonOnDeserialized.OnDeserialized()');
    this.emitBlock(() =>
      this.emitLine('if (!IsOneForm) throw new JsonException("its members do not belong together");'),
    );
  }

  #condition(type: ClassType, { member, values }: Condition): Sourcelike {
    const found: [Name, Type][] = [];
    this.forEachClassProperty(type, 'none', (name, key, { type: of }) => {
      if (key === member) found.push([name, withoutNull(of)]);
    });
    const [name, of] = found[0] ?? unexpected();
    if (values === null) return [name, ' is not null'];
    if (typeof values[0] === 'boolean') return [values[0] ? '' : '!', name];
    const cases = values.map((value) => [
      this.nameForNamedType(of),
      '.',
      this.nameForEnumCase(of as EnumType, String(value)),
    ]);
    return [name, ' is ', cases.flatMap((each, i) => [i === 0 ? '' : ' or ', each])];
  }
}
