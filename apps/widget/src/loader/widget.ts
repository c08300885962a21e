/** Entry of `widget.js`, a classic script that organisers' pages include. */
import { installLoader } from './install.ts';

installLoader(window, document);
