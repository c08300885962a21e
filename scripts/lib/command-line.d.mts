type Command = { does: string; takes: string; words?: string; own?: boolean; options?: Record<string, string> };
export const commands: Readonly<Record<string, Command>>;
export function refusalOf(name: string, args: readonly string[]): { exitCode: number; text: string } | null;
