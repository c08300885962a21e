using System.Text.Json;
using System.Text.Json.Nodes;

namespace Svc.Device.Maui;

// Inside, because .NET MAUI has a Region too.
using Svc.Device.Contract;

/// <summary>Settings of a device; they hold until it is disposed.</summary>
/// <param name="DeviceToken"><c>svcd_…</c>, shown once when the device is added to a list. Keep it in <c>SecureStorage</c>.</param>
/// <param name="Region">A region of this build by its name, or an address with the keys that <c>svc region show</c> prints.</param>
public sealed record SvcConfiguration(string DeviceToken, Region Region)
{
    /// <summary>Whether a model checks against photos and screens, or staff watch every attempt instead.</summary>
    public PassiveLiveness PassiveLiveness { get; init; } = PassiveLiveness.Required;

    /// <summary>Whether the screen's colours are checked on the face after the first match.</summary>
    public LightChallenge LightChallenge { get; init; } = LightChallenge.Off;

    /// <summary>Who draws the prompts: the page in the camera view, or the app by <see cref="SvcDevice.PromptChanged"/>.</summary>
    public PromptsBy Prompts { get; init; } = PromptsBy.Page;

    public CameraFacing Camera { get; init; } = CameraFacing.User;

    /// <summary>BCP 47; null: the system's.</summary>
    public string? Language { get; init; }

    /// <summary>Longest answer of a sync; null: 256 MiB.</summary>
    public long? MaxSyncBytes { get; init; }

    /// <summary>Of each request of a sync with its answer; null: two minutes.</summary>
    public TimeSpan? SyncTimeout { get; init; }

    /// <summary>Leaves out the token.</summary>
    public override string ToString() => nameof(SvcConfiguration);

    /// <summary>The members of the contract's <c>configure</c> that an app decides; the shell adds the rest.</summary>
    internal JsonObject ToJson()
    {
        var json = new JsonObject
        {
            ["deviceToken"] = DeviceToken,
            ["region"] = JsonSerializer.SerializeToNode(Region),
            ["passiveLiveness"] = JsonSerializer.SerializeToNode(PassiveLiveness),
            ["lightChallenge"] = JsonSerializer.SerializeToNode(LightChallenge),
            ["prompts"] = JsonSerializer.SerializeToNode(Prompts),
            ["camera"] = JsonSerializer.SerializeToNode(Camera),
        };
        if (Language is not null) json["language"] = Language;
        if (MaxSyncBytes is not null) json["maxSyncBytes"] = MaxSyncBytes;
        if (SyncTimeout is { } timeout) json["syncTimeoutMs"] = (long)timeout.TotalMilliseconds;
        return json;
    }
}
