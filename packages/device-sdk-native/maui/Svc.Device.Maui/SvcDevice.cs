using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Microsoft.Maui.LifecycleEvents;

namespace Svc.Device.Maui;

/// <summary>A call that gave no answer. <see cref="Code"/> is a failure code of the contract; the message names nobody.</summary>
public sealed class SvcDeviceException(string code, string message) : Exception(message)
{
    public string Code { get; } = code;
}

/// <summary>A region of this build by its name, or an address with the keys that <c>svc region show</c> prints.</summary>
public sealed record SvcRegion(string? Name = null, string? BaseUrl = null, string[]? SigningKeys = null);

/// <summary>Settings of a device; they hold until it is disposed. Names, values and defaults are those of the shells.</summary>
public sealed record SvcConfiguration(string DeviceToken, SvcRegion Region)
{
    public string PassiveLiveness { get; init; } = "required";
    public string LightChallenge { get; init; } = "off";
    public string Prompts { get; init; } = "page";
    public string Camera { get; init; } = "user";
    public string? Language { get; init; }
    public long? MaxSyncBytes { get; init; }
    [JsonIgnore]
    public TimeSpan? SyncTimeout { get; init; }
    public long? SyncTimeoutMs => (long?)SyncTimeout?.TotalMilliseconds;
}

/// <summary>The camera's picture with the prompts. One of them shows the device's page at a time: the one built last.</summary>
public sealed class SvcCameraView : View;

/// <summary>The way to a platform's shell. Bodies are JSON texts, as in the contract.</summary>
interface ISvcDeviceChannel
{
    /// <exception cref="SvcDeviceException">The shell answered with a failure.</exception>
    Task<string> CallAsync(string name, string body);

    /// <summary>Gets name and body of each event, on the main thread.</summary>
    Action<string, string>? Events { set; }
}

/// <summary>What the platforms' folders add.</summary>
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

    static partial void AddHandlers(IMauiHandlersCollection handlers);

    static partial void AddLifecycle(ILifecycleBuilder events);
}

/// <summary>
/// A check-in device, of which an app has one at a time. Statuses, prompts and results are the contract's JSON objects
/// (<c>contract/v1.schema.json</c>), as the shells give them. Events are raised on the main thread.
/// </summary>
public sealed class SvcDevice : IAsyncDisposable
{
    static readonly JsonSerializerOptions writing = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    };

    SvcDevice() => SvcPlatform.Channel.Events = OnEvent;

    /// <summary>The status as of the last change.</summary>
    public JsonNode Status { get; private set; } = null!;

    public event EventHandler<JsonNode>? StatusChanged;

    /// <summary>What the person is asked to do; null when the attempt has ended. For apps that draw the prompts themselves.</summary>
    public event EventHandler<JsonNode?>? PromptChanged;

    /// <summary>
    /// Opens the device in place of a former one: deletes what is due, then syncs, and again about every five minutes while
    /// the app is in the foreground.
    /// </summary>
    /// <exception cref="SvcDeviceException">The shell refused the configuration, or its engine did not start.</exception>
    public static async Task<SvcDevice> CreateAsync(SvcConfiguration configuration)
    {
        var device = new SvcDevice();
        device.Status = (await CallAsync("configure", JsonSerializer.SerializeToNode(configuration, writing)))["status"]!;
        return device;
    }

    /// <summary>Syncs now. An unreachable service is a result, not an exception.</summary>
    public async Task<JsonNode> SyncAsync() => (await CallAsync("sync"))["result"]!;

    /// <summary>
    /// Verifies that the person before the camera is the one who enrolled as <paramref name="scannedId"/>, which is used
    /// exactly as it was scanned. Problems at the door are results.
    /// </summary>
    /// <param name="camera">The view that shows the camera's picture and the prompts; it has to be on the screen.</param>
    public async Task<JsonNode> VerifyLiveAsync(
        string scannedId, SvcCameraView camera, string headTurn = "asked", CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(camera);
        using var cancelling = cancellation.Register(() => _ = CancelAsync());
        return (await CallAsync("verify", new JsonObject { ["scannedId"] = scannedId, ["headTurn"] = headTurn }))["result"]!;
    }

    /// <summary>Ends the running attempt, with reason <c>cancelled</c>.</summary>
    public Task CancelAsync() => CallAsync("cancel");

    /// <summary>Staff have looked at the person; counts only after the prompt <c>staff-confirms</c>.</summary>
    public Task ConfirmByStaffAsync() => CallAsync("confirmByStaff");

    /// <summary>Takes back that this device let the person in: <c>taken-back</c> or <c>not-admitted</c>.</summary>
    public async Task<string> TakeBackAdmissionAsync(string scannedId) =>
        (string)(await CallAsync("takeBackAdmission", new JsonObject { ["scannedId"] = scannedId }))["outcome"]!;

    /// <summary>Deletes keys, then the list, from this phone. The device ends.</summary>
    public Task ForgetAsync() => CallAsync("forget");

    /// <summary>Ends the device; its data stays until its deadline.</summary>
    public async ValueTask DisposeAsync() => await CallAsync("dispose");

    static async Task<JsonNode> CallAsync(string name, JsonNode? body = null) =>
        JsonNode.Parse(await SvcPlatform.Channel.CallAsync(name, body?.ToJsonString() ?? "{}"))!;

    void OnEvent(string name, string body)
    {
        var told = JsonNode.Parse(body)!;
        switch (name)
        {
            case "status":
                StatusChanged?.Invoke(this, Status = told["status"]!);
                break;
            case "prompt":
                PromptChanged?.Invoke(this, told["prompt"]);
                break;
        }
    }
}

/// <summary>Turns a shell's answer into a task's end.</summary>
sealed class PendingAnswer() : TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously)
{
    public void End(string? body, string? code, string? message)
    {
        if (body is not null) TrySetResult(body);
        else TrySetException(new SvcDeviceException(code ?? "message-invalid", message ?? ""));
    }
}
