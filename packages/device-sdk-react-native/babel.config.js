/** Read by jest and Metro. Apps have @babel/runtime, this workspace does not. */
module.exports = { presets: [['@react-native/babel-preset', { enableBabelRuntime: false }]] };
