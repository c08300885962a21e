/** The compiler with a programming interface: what imports it from here need not be what `npm start` installs. */
export { default } from 'typescript';
