/** What React Native's autolinking takes of this package. */
module.exports = {
  dependency: {
    platforms: {
      android: {
        packageImportPath: 'import org.svc.device.reactnative.SvcDevicePackage;',
        packageInstance: 'new SvcDevicePackage()',
        libraryName: 'SvcDeviceSpec',
        componentDescriptors: ['SvcCameraViewComponentDescriptor'],
      },
      ios: {},
    },
  },
};
