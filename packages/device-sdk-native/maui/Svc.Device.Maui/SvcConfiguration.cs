using System.Text.Json.Nodes;

namespace Svc.Device.Maui;

/// <summary>A deployment of the service: a name that this build knows, or an address with the keys that sign its answers.</summary>
public sealed record SvcRegion
{
    readonly JsonNode json;

    SvcRegion(JsonNode json) => this.json = json;

    /// <summary>A region pinned at build time, such as <c>EU</c>.</summary>
    public static SvcRegion Named(string name) => new(JsonValue.Create(name));

    /// <param name="baseUrl">https, or http to this machine.</param>
    /// <param name="signingKeys">Those that <c>svc region show</c> prints.</param>
    public static SvcRegion At(string baseUrl, params string[] signingKeys) => new(new JsonObject
    {
        ["baseUrl"] = baseUrl,
        ["signingKeys"] = new JsonArray([.. signingKeys.Select(key => (JsonNode)key)]),
    });

    internal JsonNode ToJson() => json.DeepClone();
}

/// <summary>Settings of a device; they hold until it is disposed.</summary>
/// <param name="DeviceToken"><c>svcd_…</c>, shown once when the device is added to a list. Keep it in <c>SecureStorage</c>.</param>
/// <param name="Region">The account's region.</param>
public sealed record SvcConfiguration(string DeviceToken, SvcRegion Region)
{
    /// <summary><c>required</c>, or <c>absent-staff-in-view</c> where staff watch every attempt instead of a model.</summary>
    public string PassiveLiveness { get; init; } = "required";

    /// <summary><c>off</c> or <c>when-possible</c>: the screen's colours are checked on the face after the first match.</summary>
    public string LightChallenge { get; init; } = "off";

    /// <summary><c>page</c>: the camera view draws the prompts; <c>host</c>: the app does, by <see cref="SvcDevice.PromptChanged"/>.</summary>
    public string Prompts { get; init; } = "page";

    /// <summary><c>user</c> or <c>environment</c>: the camera that looks at the person.</summary>
    public string Camera { get; init; } = "user";

    /// <summary>BCP 47; null: the system's.</summary>
    public string? Language { get; init; }

    public long? MaxSyncBytes { get; init; }

    public TimeSpan? SyncTimeout { get; init; }

    /// <summary>Leaves out the token.</summary>
    public override string ToString() => nameof(SvcConfiguration);

    /// <summary>The members of the contract's <c>configure</c> that an app decides; the shell adds the rest.</summary>
    internal JsonObject ToJson()
    {
        var json = new JsonObject
        {
            ["deviceToken"] = DeviceToken,
            ["region"] = Region.ToJson(),
            ["passiveLiveness"] = PassiveLiveness,
            ["lightChallenge"] = LightChallenge,
            ["prompts"] = Prompts,
            ["camera"] = Camera,
        };
        if (Language is not null) json["language"] = Language;
        if (MaxSyncBytes is not null) json["maxSyncBytes"] = MaxSyncBytes;
        if (SyncTimeout is { } timeout) json["syncTimeoutMs"] = (long)timeout.TotalMilliseconds;
        return json;
    }
}
