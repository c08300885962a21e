using Foundation;
using UIKit;

namespace Svc.Device.iOS;

delegate void SvcAnswer([NullAllowed] string body, [NullAllowed] string code, [NullAllowed] string message);

delegate void SvcEvents(string name, string body);

[BaseType(typeof(NSObject))]
interface SvcDeviceBinding
{
    [Static, Export("applicationDidLaunch")]
    void ApplicationDidLaunch();

    [Export("call:body:answer:")]
    void Call(string name, string body, SvcAnswer answer);

    [NullAllowed, Export("events", ArgumentSemantic.Copy)]
    SvcEvents Events { get; set; }

    [Export("createCameraView")]
    UIView CreateCameraView();
}
