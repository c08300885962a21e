import * as z from 'zod';
import { base64Error, isBase64 } from '../base64.ts';
import { languageTagSchema, responseSchemas } from '../common.ts';
import {
  MAX_BENEFIT_CODE_POINTS,
  MAX_HEADING_CODE_POINTS,
  MAX_HEADINGS,
  MAX_LOGO_BYTES,
  MAX_LOGO_UPLOAD_BYTES,
  MAX_RADIUS_PX,
} from '../limits.ts';
import { lineSchema } from '../text.ts';

const BRAND_THEMES = ['auto', 'light', 'dark'] as const;
/** Light or dark, or what the guest's system prefers. */
const brandThemeSchema = z.enum(BRAND_THEMES);
export type BrandTheme = z.infer<typeof brandThemeSchema>;

/** The number of bytes that valid base64 stands for. */
const decodedBytes = (text: string) => Math.floor((text.replace(/[\r\n=]/g, '').length * 3) / 4);

const logoImageSchema = z
  .string()
  .refine(isBase64, { error: ({ input }) => base64Error(String(input)) })
  .refine((text) => decodedBytes(text) <= MAX_LOGO_UPLOAD_BYTES, {
    error: `must be a picture of at most ${MAX_LOGO_UPLOAD_BYTES / 1024} kB`,
  })
  .meta({ contentEncoding: 'base64', contentMediaType: 'image/png', description: 'PNG or JPEG, at most 512 KiB' });

const accentSchema = z
  .string()
  .regex(/^#[0-9A-Fa-f]{6}$/, { error: 'must be a colour like #7a1fa2' })
  .meta({ examples: ['#7a1fa2'] });

/** One to eight names, each a word or more, bare or in quotes. No other CSS can be written with them. */
const FONTS =
  /^ *(?:(["']?)[\p{L}\p{N}][\p{L}\p{N} _-]{0,63}\1 *)(?:, *(?:(["']?)[\p{L}\p{N}][\p{L}\p{N} _-]{0,63}\2 *)){0,7}$/u;
const MAX_FONT_CHARS = 200;

const fontSchema = z
  .string()
  .refine((text) => text.length <= MAX_FONT_CHARS && FONTS.test(text), {
    error: `must be one to eight font names separated by commas, at most ${MAX_FONT_CHARS} characters`,
  })
  .meta({ maxLength: MAX_FONT_CHARS, examples: ['Inter, Arial, sans-serif'] });

const radiusError = { error: `must be a whole number from 0 to ${MAX_RADIUS_PX}` };
const radiusSchema = z.int(radiusError).min(0, radiusError).max(MAX_RADIUS_PX, radiusError);

const headingSchema = lineSchema(MAX_HEADING_CODE_POINTS);
const benefitSchema = lineSchema(MAX_BENEFIT_CODE_POINTS);

const byLanguageSchema = (line: typeof headingSchema, description: string, example: string) =>
  z
    .record(languageTagSchema, line)
    .refine((lines) => Object.keys(lines).length <= MAX_HEADINGS, {
      error: `must contain at most ${MAX_HEADINGS} languages`,
    })
    .meta({ maxProperties: MAX_HEADINGS, description, examples: [{ en: example }] });

const headingsSchema = byLanguageSchema(
  headingSchema,
  'plain text above the consent wording, by language (BCP 47)',
  'Walk in with a smile',
);
const benefitsSchema = byLanguageSchema(
  benefitSchema,
  'plain text on what guests gain by enrolling, by language (BCP 47); in other languages the widget shows its own sentence',
  'Your own lane at the north gate, without a search for your ID.',
);

const logoSize = { width: z.int().min(1), height: z.int().min(1) };

/** How the widget is to look. What is absent stays, and what is null is removed. */
export const brandChangeSchema = z.object({
  logo: z
    .object({ imageBase64: logoImageSchema, ...z.object(logoSize).partial().shape })
    .nullable()
    .optional()
    .describe('null removes the logo. `width` and `height` are ignored; you can send back what you read'),
  accent: accentSchema.nullable().optional().describe('colour of buttons and progress; null: the widget’s own'),
  font: fontSchema.nullable().optional().describe('CSS font families; the widget loads none, so guests must have them'),
  radius: radiusSchema.nullable().optional().describe('radius of corners, in CSS pixels'),
  theme: brandThemeSchema.nullable().optional(),
  heading: headingsSchema.nullable().optional(),
  benefit: benefitsSchema.nullable().optional(),
});
export type BrandChange = z.infer<typeof brandChangeSchema>;

/** An organiser's looks, as they are kept. */
export const brandSchema = z
  .object({
    logo: z
      .object({
        imageBase64: z.string().meta({
          contentEncoding: 'base64',
          contentMediaType: 'image/png',
          description: `the PNG that the service made of the logo, at most ${MAX_LOGO_BYTES / 1024} KiB, in base64`,
        }),
        ...logoSize,
      })
      .nullable(),
    accent: accentSchema.nullable(),
    font: fontSchema.nullable(),
    radius: radiusSchema.nullable(),
    theme: brandThemeSchema,
    heading: headingsSchema.nullable(),
    benefit: benefitsSchema.nullable(),
  })
  .register(responseSchemas, { id: 'Brand' });
export type BrandResource = z.infer<typeof brandSchema>;

/** The looks as the widget shows them: the logo as an address, and heading and benefit in the wording's language. */
export const shownBrandSchema = brandSchema
  .omit({ logo: true, heading: true, benefit: true })
  .extend({
    logo: z
      .object({ url: z.string().meta({ pattern: '^data:image/png;base64,', description: '`data:` URL' }), ...logoSize })
      .nullable(),
    heading: headingSchema.nullable().describe('shown above the title of the wording; null if there is none'),
    benefit: benefitSchema.nullable().describe('what guests gain by enrolling; null: the widget’s own sentence'),
  })
  .register(responseSchemas, { id: 'ShownBrand' });
export type ShownBrand = z.infer<typeof shownBrandSchema>;
