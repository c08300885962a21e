using Microsoft.Maui.Handlers;
using Microsoft.Maui.LifecycleEvents;
using Svc.Device.iOS;

namespace Svc.Device.Maui;

public static partial class SvcPlatform
{
    static partial void AddHandlers(IMauiHandlersCollection handlers) =>
        handlers.AddHandler<SvcCameraView, IosCameraViewHandler>();

    static partial void AddLifecycle(ILifecycleBuilder events) => events.AddiOS(ios => ios.WillFinishLaunching((_, _) =>
    {
        SvcDeviceBinding.ApplicationDidLaunch();
        return true;
    }));

    internal static ISvcDeviceChannel Channel => IosChannel.Shared;
}

sealed class IosCameraViewHandler() : ViewHandler<SvcCameraView, UIKit.UIView>(ViewMapper)
{
    protected override UIKit.UIView CreatePlatformView() => IosChannel.Shared.Native.CreateCameraView();
}

/// <summary>The shell's channel for hosts in other languages, by its binding.</summary>
sealed class IosChannel : ISvcDeviceChannel
{
    internal static IosChannel Shared { get; } = new();

    /// <summary>Main thread: anywhere else Swift ends the app, also when the binding is made.</summary>
    internal SvcDeviceBinding Native => field ??= new();

    public Action<string, string>? Events
    {
        set
        {
            var events = value is null ? null : new SvcEvents(value);
            MainThread.BeginInvokeOnMainThread(() => Native.Events = events);
        }
    }

    public Task<string> CallAsync(string name, string body)
    {
        var answer = new PendingAnswer();
        MainThread.BeginInvokeOnMainThread(() => Native.Call(name, body, answer.End));
        return answer.Task;
    }
}
