export { directionOfLanguage, lookUpLanguage, nameOfLanguage } from './language.ts';
export { createSay, type Messages, type Say } from './say.ts';
