/** Fills an empty folder with a release. @returns how many npm packages it holds */
export function layOut(folder: string, arch?: string): Promise<number>;
