using Microsoft.Maui.Handlers;
using Org.Svc.Device.Channel;

namespace Svc.Device.Maui;

public static partial class SvcPlatform
{
    static partial void AddHandlers(IMauiHandlersCollection handlers) =>
        handlers.AddHandler<SvcCameraView, AndroidCameraViewHandler>();

    internal static ISvcDeviceChannel Channel => AndroidChannel.Shared;
}

sealed class AndroidCameraViewHandler() : ViewHandler<SvcCameraView, global::Android.Views.View>(ViewMapper)
{
    protected override global::Android.Views.View CreatePlatformView() => AndroidChannel.Shared.Native.CreateCameraView(Context);
}

/// <summary>The shell's channel for hosts in other languages, by its binding.</summary>
sealed class AndroidChannel : ISvcDeviceChannel
{
    internal static AndroidChannel Shared { get; } = new();

    internal SvcDeviceChannel Native { get; } = new(global::Android.App.Application.Context);

    public Action<string, string>? Events
    {
        set => Native.SetEvents(value is null ? null : new EventListener(value));
    }

    public Task<string> CallAsync(string name, string body)
    {
        var answer = new PendingAnswer();
        Native.Call(name, body, new AnswerListener(answer));
        return answer.Task;
    }

    sealed class AnswerListener(PendingAnswer answer) : Java.Lang.Object, ISvcAnswer
    {
        public void OnAnswer(string? body, string? code, string? message) => answer.End(body, code, message);
    }

    sealed class EventListener(Action<string, string> listener) : Java.Lang.Object, ISvcEvents
    {
        public void OnEvent(string name, string body) => listener(name, body);
    }
}
