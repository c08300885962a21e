export { type Catalogue, createCatalogue, placeholdersOf, type Say, type Texts } from './catalogue.ts';
export { directionOfLanguage, lookUpLanguage, nameOfLanguage } from './language.ts';
