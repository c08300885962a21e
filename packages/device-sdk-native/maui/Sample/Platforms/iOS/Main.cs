using Foundation;
using UIKit;

namespace Sample;

[Register("AppDelegate")]
public sealed class AppDelegate : MauiUIApplicationDelegate
{
    protected override MauiApp CreateMauiApp() => MauiProgram.CreateMauiApp();

    static void Main(string[] arguments) => UIApplication.Main(arguments, null, typeof(AppDelegate));
}
