// Expo's config plugin, with the version of Expo's own library that the app has.
const plugins = require('expo/config-plugins');
const { createPlugin } = require('./dist/expo/plugin.js');

module.exports = createPlugin(plugins);
