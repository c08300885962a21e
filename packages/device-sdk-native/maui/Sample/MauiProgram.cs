using Svc.Device.Maui;

namespace Sample;

public static class MauiProgram
{
    public static MauiApp CreateMauiApp() => MauiApp.CreateBuilder().UseMauiApp<App>().UseSvcDevice().Build();
}

public sealed class App : Application
{
    protected override Window CreateWindow(IActivationState? state) => new(new DoorPage());
}
