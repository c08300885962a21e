using Microsoft.Maui.LifecycleEvents;

namespace Svc.Device.Maui;

/// <summary>
/// The camera's picture with the prompts, or without them if the app draws them. Empty while no device was created. One of
/// them shows the device's page at a time: the one that was built last.
/// </summary>
public sealed class SvcCameraView : View;

/// <summary>What the platforms' folders add; without one there is neither a shell nor a view.</summary>
public static partial class SvcPlatform
{
    /// <summary>
    /// Registers <see cref="SvcCameraView"/>, and has overdue data deleted when the app launches; call it in
    /// <c>MauiProgram</c>.
    /// </summary>
    public static MauiAppBuilder UseSvcDevice(this MauiAppBuilder builder) =>
        builder
            .ConfigureMauiHandlers(handlers => AddHandlers(handlers))
            .ConfigureLifecycleEvents(events => AddLifecycle(events));

    internal static ISvcDeviceChannel OpenChannel()
    {
        ISvcDeviceChannel? channel = null;
        OpenChannel(ref channel);
        return channel ?? throw new PlatformNotSupportedException("the SDK runs on Android and iOS");
    }

    static partial void AddHandlers(IMauiHandlersCollection handlers);

    static partial void AddLifecycle(ILifecycleBuilder events);

    static partial void OpenChannel(ref ISvcDeviceChannel? channel);
}

/// <summary>Turns a shell's answer into a task's end.</summary>
sealed class PendingAnswer : TaskCompletionSource<string>
{
    public PendingAnswer() : base(TaskCreationOptions.RunContinuationsAsynchronously) { }

    public void End(string? body, string? code, string? message)
    {
        if (body is not null) TrySetResult(body);
        else TrySetException(new SvcDeviceException(code ?? "message-invalid", message ?? ""));
    }
}
