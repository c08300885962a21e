#import <React/RCTViewComponentView.h>
#import <react/renderer/components/SvcDeviceSpec/ComponentDescriptors.h>
#import <react/renderer/components/SvcDeviceSpec/Props.h>

#import "SvcShell.h"

/** Puts the shell's view into React's tree. */
@interface SvcCameraViewComponent : RCTViewComponentView
@end

@implementation SvcCameraViewComponent

+ (facebook::react::ComponentDescriptorProvider)componentDescriptorProvider
{
  return facebook::react::concreteComponentDescriptorProvider<facebook::react::SvcCameraViewComponentDescriptor>();
}

/** A view belongs to one device for its life. */
+ (BOOL)shouldBeRecycled
{
  return NO;
}

- (instancetype)initWithFrame:(CGRect)frame
{
  if (self = [super initWithFrame:frame]) {
    _props = facebook::react::SvcCameraViewShadowNode::defaultSharedProps();
    self.contentView = [SvcDeviceBinding.shared createCameraView];
  }
  return self;
}

@end
