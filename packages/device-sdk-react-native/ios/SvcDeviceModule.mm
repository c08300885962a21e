#import <SvcDeviceSpec/SvcDeviceSpec.h>

#import "SvcShell.h"

/** Carries calls and events between JavaScript and the shell. */
@interface SvcDeviceModule : NativeSvcDeviceSpecBase <NativeSvcDeviceSpec>
@end

/** The one that has the device's events; on the main thread. A reload may make the next one before this one ends. */
static __weak SvcDeviceModule *listening;

@implementation SvcDeviceModule {
  BOOL _isInvalid;
}

+ (NSString *)moduleName
{
  return @"SvcDevice";
}

/** Codegen's emitter calls into what `getTurboModule:` made, without a look whether that is there or still there. */
- (void)tell:(NSDictionary *)event
{
  @synchronized(self) {
    if (!_isInvalid) {
      [self emitOnDeviceEvent:event];
    }
  }
}

- (void)call:(NSString *)name
        body:(NSString *)body
     resolve:(RCTPromiseResolveBlock)resolve
      reject:(RCTPromiseRejectBlock)reject
{
  dispatch_async(dispatch_get_main_queue(), ^{
    [SvcDeviceBinding.shared call:name
                             body:body
                           answer:^(NSString *_Nullable answer, NSString *_Nullable code, NSString *_Nullable message) {
                             if (answer != nil) {
                               resolve(answer);
                             } else {
                               reject(code ?: @"runtime-failed", message, nil);
                             }
                           }];
  });
}

/** The JavaScript ends or is loaded anew: nobody holds the device any more, unless the next one has taken over. */
- (void)invalidate
{
  @synchronized(self) {
    _isInvalid = YES;
  }
  dispatch_async(dispatch_get_main_queue(), ^{
    if (listening != self) {
      return;
    }
    listening = nil;
    SvcDeviceBinding.shared.events = nil;
    [SvcDeviceBinding.shared call:@"dispose"
                             body:@"{}"
                           answer:^(NSString *_Nullable, NSString *_Nullable, NSString *_Nullable) {
                           }];
  });
}

- (std::shared_ptr<facebook::react::TurboModule>)getTurboModule:
    (const facebook::react::ObjCTurboModule::InitParams &)params
{
  auto module = std::make_shared<facebook::react::NativeSvcDeviceSpecJSI>(params);
  __weak SvcDeviceModule *weakSelf = self;
  dispatch_async(dispatch_get_main_queue(), ^{
    listening = weakSelf;
    SvcDeviceBinding.shared.events = ^(NSString *name, NSString *body) {
      [weakSelf tell:@{@"name" : name, @"body" : body}];
    };
  });
  return module;
}

@end
