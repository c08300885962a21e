// Swift's header of this pod: of a framework, or of a static library.
#import <UIKit/UIKit.h>
#if __has_include(<SvcDeviceReactNative/SvcDeviceReactNative-Swift.h>)
#import <SvcDeviceReactNative/SvcDeviceReactNative-Swift.h>
#else
#import "SvcDeviceReactNative-Swift.h"
#endif
