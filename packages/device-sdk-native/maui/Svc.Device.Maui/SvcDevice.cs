using System.Text.Json;
using System.Text.Json.Nodes;
using Svc.Device.Contract;

namespace Svc.Device.Maui;

/// <summary>A call that gave no answer. <see cref="Code"/> is a failure code of the contract; the message names nobody.</summary>
public sealed class SvcDeviceException(string code, string message) : Exception(message)
{
    public string Code { get; } = code;
}

/// <summary>The way to a platform's shell. Bodies are JSON texts, as in the contract.</summary>
public interface ISvcDeviceChannel
{
    /// <exception cref="SvcDeviceException">The shell answered with a failure.</exception>
    Task<string> CallAsync(string name, string body);

    /// <summary>Name and body of an event.</summary>
    Action<string, string>? Events { get; set; }
}

/// <summary>
/// A check-in device. An app has one at a time; a second <see cref="CreateAsync"/> before <see cref="DisposeAsync"/>
/// throws <c>device-in-use</c>. No rule of the check is here: the shell's page decides, and an answer that cannot be read
/// is an exception, never a result. Events are raised on the main thread.
/// </summary>
public sealed class SvcDevice : IAsyncDisposable
{
    readonly ISvcDeviceChannel channel;

    SvcDevice(ISvcDeviceChannel channel)
    {
        this.channel = channel;
        channel.Events = OnEvent;
    }

    /// <summary>The status as of the last change.</summary>
    public DeviceStatus Status { get; private set; } = null!;

    public event EventHandler<DeviceStatus>? StatusChanged;

    /// <summary>What the person is asked to do; null when the attempt has ended. Only with <c>Prompts = "host"</c>.</summary>
    public event EventHandler<Prompt?>? PromptChanged;

    /// <summary>The device cannot go on for now; the shell starts its page again.</summary>
    public event EventHandler<SvcDeviceException>? Faulted;

    /// <summary>
    /// Opens the device: overdue data is deleted before anything else, then the list is synced, and again about every five
    /// minutes while the app is in the foreground.
    /// </summary>
    /// <exception cref="SvcDeviceException">
    /// Such as <c>configuration-invalid</c>, <c>passive-liveness-missing</c>, <c>webview-too-old</c> or <c>too-slow</c>.
    /// </exception>
    public static async Task<SvcDevice> CreateAsync(SvcConfiguration configuration, ISvcDeviceChannel? channel = null)
    {
        var device = new SvcDevice(channel ?? SvcPlatform.OpenChannel());
        var answer = await device.CallAsync("configure", configuration.ToJson());
        device.Status = Read<DeviceStatus>(answer["status"]);
        return device;
    }

    /// <summary>Syncs now. An unreachable service is a result, not an exception.</summary>
    public async Task<SyncResult> SyncAsync() => Read<SyncResult>((await CallAsync("sync"))["result"]);

    /// <summary>
    /// Verifies that the person before the camera is the one who enrolled as <paramref name="scannedId"/>, which is used
    /// exactly as it was scanned.
    /// </summary>
    /// <param name="camera">The view that shows the camera's picture and the prompts; it must be on the screen.</param>
    /// <param name="headTurn"><c>asked</c>, or <c>alternative</c> for people who cannot turn their head.</param>
    public async Task<VerificationResult> VerifyLiveAsync(
        string scannedId, ISvcCamera camera, string headTurn = "asked", CancellationToken cancellation = default)
    {
        if (!camera.IsShown) throw new SvcDeviceException("camera-denied", "the camera view is not on the screen");
        await using var cancelling = cancellation.Register(() => _ = CancelAsync());
        var answer = await CallAsync("verify", new() { ["scannedId"] = scannedId, ["headTurn"] = headTurn });
        return Read<VerificationResult>(answer["result"]);
    }

    /// <summary>Ends the running attempt, with reason <c>cancelled</c>.</summary>
    public Task CancelAsync() => CallAsync("cancel");

    /// <summary>Staff have looked at the person; counts only after the prompt <c>staff-confirms</c>.</summary>
    public Task ConfirmByStaffAsync() => CallAsync("confirmByStaff");

    /// <summary>Takes back that this device let the person in: true, or false if it had not.</summary>
    public async Task<bool> TakeBackAdmissionAsync(string scannedId)
    {
        var answer = await CallAsync("takeBackAdmission", new() { ["scannedId"] = scannedId });
        return (string?)answer["outcome"] switch
        {
            "taken-back" => true,
            "not-admitted" => false,
            _ => throw Unreadable(),
        };
    }

    /// <summary>Deletes keys, then the list, from this phone. The device ends.</summary>
    public Task ForgetAsync() => EndAsync("forget");

    /// <summary>Ends the device; its data stays until its deadline.</summary>
    public async ValueTask DisposeAsync() => await EndAsync("dispose");

    async Task EndAsync(string name)
    {
        await CallAsync(name);
        channel.Events = null;
    }

    async Task<JsonObject> CallAsync(string name, JsonObject? body = null) =>
        Parse(await channel.CallAsync(name, (body ?? []).ToJsonString()));

    void OnEvent(string name, string text)
    {
        var body = Parse(text);
        switch (name)
        {
            case "status":
                Status = Read<DeviceStatus>(body["status"]);
                StatusChanged?.Invoke(this, Status);
                break;
            case "prompt":
                PromptChanged?.Invoke(this, body["prompt"] is { } prompt ? Read<Prompt>(prompt) : null);
                break;
            case "fault":
                Faulted?.Invoke(this, new SvcDeviceException($"{body["code"]}", $"{body["message"]}"));
                break;
        }
    }

    static JsonObject Parse(string text)
    {
        try
        {
            return JsonNode.Parse(text) as JsonObject ?? throw Unreadable();
        }
        catch (JsonException)
        {
            throw Unreadable();
        }
    }

    /// <summary>Generated readers throw whatever comes first, so all of it is caught.</summary>
    static T Read<T>(JsonNode? json) where T : class
    {
        try
        {
            return json.Deserialize<T>(Converter.Settings) ?? throw Unreadable();
        }
        catch (Exception error) when (error is not SvcDeviceException)
        {
            throw Unreadable();
        }
    }

    static SvcDeviceException Unreadable() => new("message-invalid", "an answer of the shell cannot be read");
}
