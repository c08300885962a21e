import { pageStorage } from '@svc/page-kit';

const STORED = 'svcd-theme';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export function chosenTheme(): Theme {
  const stored = pageStorage.getItem(STORED);
  return themes.find((theme) => theme === stored) ?? 'system';
}

export function applyTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  pageStorage.setItem(STORED, theme);
  applyTheme(theme);
}
