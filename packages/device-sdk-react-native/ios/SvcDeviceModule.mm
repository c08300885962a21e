#import <SvcDeviceSpec/SvcDeviceSpec.h>

#import "SvcShell.h"

/** Carries calls and events between JavaScript and the shell. */
@interface SvcDeviceModule : NativeSvcDeviceSpecBase <NativeSvcDeviceSpec>
@end

@implementation SvcDeviceModule

+ (NSString *)moduleName
{
  return @"SvcDevice";
}

- (instancetype)init
{
  if (self = [super init]) {
    __weak SvcDeviceModule *weakSelf = self;
    dispatch_async(dispatch_get_main_queue(), ^{
      SvcShell.shared.events = ^(NSString *name, NSString *body) {
        [weakSelf emitOnDeviceEvent:@{@"name" : name, @"body" : body}];
      };
    });
  }
  return self;
}

- (void)call:(NSString *)name
        body:(NSString *)body
     resolve:(RCTPromiseResolveBlock)resolve
      reject:(RCTPromiseRejectBlock)reject
{
  dispatch_async(dispatch_get_main_queue(), ^{
    [SvcShell.shared call:name
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

/** The JavaScript ends or is loaded anew: nobody holds the device any more. */
- (void)invalidate
{
  dispatch_async(dispatch_get_main_queue(), ^{
    SvcShell.shared.events = nil;
    [SvcShell.shared call:@"dispose"
                        body:@"{}"
                      answer:^(NSString *_Nullable, NSString *_Nullable, NSString *_Nullable) {
                      }];
  });
}

- (std::shared_ptr<facebook::react::TurboModule>)getTurboModule:
    (const facebook::react::ObjCTurboModule::InitParams &)params
{
  return std::make_shared<facebook::react::NativeSvcDeviceSpecJSI>(params);
}

@end
