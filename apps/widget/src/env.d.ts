declare module '*.css';
declare module '*?url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: what the bundler makes
  export default url;
}
/** The API's address, relative to the page's folder or absolute. Put in by the build. */
declare const __API_URL__: string;
/** The folder of the camera step's engine, relative to the page's; with a slash at its end. Put in by the build. */
declare const __ENGINE_FOLDER__: string;
