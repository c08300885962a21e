// Expo's config plugin. Expo's own library is the app's: this package does not depend on it, because apps without Expo
// need none.
const { createPlugin } = require('./dist/expo/plugin.js');

const plugins = require(require.resolve('expo/config-plugins', { paths: [process.cwd(), __dirname] }));

module.exports = createPlugin(plugins);
