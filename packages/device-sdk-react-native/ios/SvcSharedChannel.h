#import <Foundation/Foundation.h>
#import <UIKit/UIKit.h>

// Swift's header of this pod: of a framework, or of a static library.
#if __has_include(<SvcDeviceReactNative/SvcDeviceReactNative-Swift.h>)
#import <SvcDeviceReactNative/SvcDeviceReactNative-Swift.h>
#else
#import "SvcDeviceReactNative-Swift.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The shell's channel, which outlives a reload of the JavaScript. On the main thread. */
SvcDeviceChannel *SvcSharedChannel(void);

#ifdef __cplusplus
}
#endif
