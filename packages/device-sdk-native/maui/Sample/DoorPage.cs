using Svc.Device.Contract;
using Svc.Device.Maui;

namespace Sample;

/// <summary>A door with one button. Token, address and signing key are entered once; a real app reads a pairing code.</summary>
public sealed class DoorPage : ContentPage
{
    readonly SvcCameraView camera = new();
    readonly Entry ticket = new() { Placeholder = "Ticket" };
    readonly Label state = new();
    readonly Button verify = new() { Text = "Verify", IsEnabled = false };
    SvcDevice? device;

    public DoorPage()
    {
        verify.Clicked += async (_, _) => await VerifyAsync();
        var grid = new Grid { RowDefinitions = [new(GridLength.Star), new(GridLength.Auto), new(GridLength.Auto), new(GridLength.Auto)] };
        grid.Add(camera, 0, 0);
        grid.Add(ticket, 0, 1);
        grid.Add(verify, 0, 2);
        grid.Add(state, 0, 3);
        Content = grid;
    }

    protected override async void OnAppearing()
    {
        if (device is not null) return;
        try
        {
            device = await SvcDevice.CreateAsync(new(
                await StoredAsync("token"),
                new() { BaseUrl = await StoredAsync("url"), SigningKeys = [await StoredAsync("signing-key")] }));
            device.StatusChanged += (_, status) => Show(status);
            Show(device.Status);
        }
        catch (SvcDeviceException error)
        {
            state.Text = error.Code;
        }
    }

    void Show(DeviceStatus status)
    {
        verify.IsEnabled = status.Ready;
        state.Text = status.Ready ? $"{status.People} people" : "Not ready";
    }

    async Task VerifyAsync()
    {
        var result = await device!.VerifyLiveAsync(ticket.Text, camera);
        ticket.Text = "";
        state.Text = result.Outcome switch
        {
            VerificationOutcome.Match => "Let the person in",
            VerificationOutcome.NotEnrolled or VerificationOutcome.LeaseExpired or VerificationOutcome.Expired => "Standard check-in",
            _ => "Call a member of staff",
        };
    }

    async Task<string> StoredAsync(string name)
    {
        if (await SecureStorage.GetAsync(name) is { } kept) return kept;
        var entered = await DisplayPromptAsync("Pair", name);
        await SecureStorage.SetAsync(name, entered);
        return entered;
    }
}
