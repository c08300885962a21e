/** The component's tests, in React Native's own environment. `.test.ts` runs in vitest. */
module.exports = {
  preset: '@react-native/jest-preset',
  testTimeout: 180_000,
  testMatch: ['<rootDir>/src/**/*.test.tsx'],
  // Sources are read without a build.
  testEnvironmentOptions: { customExportConditions: ['svc-source', 'require', 'react-native'] },
  transformIgnorePatterns: ['node_modules/(?!(\\.pnpm/)?(@?react-native|@react-native\\+))'],
};
