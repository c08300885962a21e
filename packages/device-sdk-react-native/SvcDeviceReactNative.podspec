require 'json'

package = JSON.parse(File.read(File.join(__dir__, 'package.json')))

# The pod of React Native's autolinking: the glue, and the iOS shell's sources, which were put into dist/shell when the
# package was built.
Pod::Spec.new do |s|
  s.name = 'SvcDeviceReactNative'
  s.version = package['version']
  s.summary = package['description']
  s.license = package['license']
  s.homepage = 'https://www.npmjs.com/package/@svc/device-sdk-react-native'
  s.authors = 'Face check-in'
  s.source = { git: '', tag: "v#{package['version']}" }
  s.platforms = { ios: '15.1' }
  s.swift_version = '6.0'
  s.source_files = 'ios/**/*.{h,mm}', 'dist/shell/ios/**/*.swift'
  s.private_header_files = 'ios/**/*.h'
  s.resource_bundles = { 'SvcDeviceReactNative' => ['dist/shell/ios/Resources/PrivacyInfo.xcprivacy'] }
  s.pod_target_xcconfig = { 'DEFINES_MODULE' => 'YES' }
  install_modules_dependencies(s)
end
