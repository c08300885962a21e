using System.Text.Json;
using System.Text.Json.Nodes;

namespace Svc.Device.Maui;

// Inside, because .NET MAUI has a Region too.
using Svc.Device.Contract;

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

    /// <summary>Gets name and body of each event, on the main thread.</summary>
    Action<string, string>? Events { get; set; }
}

/// <summary>
/// A check-in device, of which an app has one at a time. No rule of the check is here: the shell's page decides, and an
/// answer that cannot be read is an exception, never a result. Events are raised on the main thread.
/// </summary>
public sealed class SvcDevice : IAsyncDisposable
{
    static readonly JsonSerializerOptions reading = new() { RespectNullableAnnotations = true };
    static SvcDevice? current;
    readonly ISvcDeviceChannel channel;

    SvcDevice(ISvcDeviceChannel channel) => this.channel = channel;

    /// <summary>The status as of the last change.</summary>
    public DeviceStatus Status { get; private set; } = null!;

    public event EventHandler<DeviceStatus>? StatusChanged;

    /// <summary>What the person is asked to do; null when the attempt has ended. For apps that draw the prompts themselves.</summary>
    public event EventHandler<Prompt?>? PromptChanged;

    /// <summary>
    /// Opens the device: overdue data is deleted before anything else, then the list is synced, and again about every five
    /// minutes while the app is in the foreground.
    /// </summary>
    /// <param name="channel">For tests.</param>
    /// <exception cref="SvcDeviceException">
    /// <c>device-in-use</c> until the former one is disposed, <c>configuration-invalid</c>, <c>passive-liveness-missing</c>,
    /// <c>storage-failed</c>, <c>webview-too-old</c> and the engine's own codes.
    /// </exception>
    public static async Task<SvcDevice> CreateAsync(SvcConfiguration configuration, ISvcDeviceChannel? channel = null)
    {
        var device = new SvcDevice(channel ?? SvcPlatform.OpenChannel());
        if (Interlocked.CompareExchange(ref current, device, null) is not null)
            throw new SvcDeviceException("device-in-use", "dispose of the former device first");
        try
        {
            device.channel.Events = device.OnEvent;
            device.Status = Read<StatusBody>(await device.CallAsync("configure", configuration.ToJson())).Status;
            return device;
        }
        catch
        {
            device.Close();
            throw;
        }
    }

    /// <summary>Syncs now. An unreachable service is a result, not an exception.</summary>
    public async Task<SyncResult> SyncAsync() => Read<SyncAnswer>(await CallAsync("sync")).Result;

    /// <summary>
    /// Verifies that the person before the camera is the one who enrolled as <paramref name="scannedId"/>, which is used
    /// exactly as it was scanned. Problems at the door are results.
    /// </summary>
    /// <param name="camera">The view that shows the camera's picture and the prompts; it has to be on the screen.</param>
    public async Task<VerificationResult> VerifyLiveAsync(
        string scannedId, SvcCameraView camera, HeadTurn headTurn = HeadTurn.Asked, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(camera);
        using var cancelling = cancellation.Register(() => _ = CancelAsync());
        var turn = JsonSerializer.SerializeToNode(headTurn);
        var answer = await CallAsync("verify", new() { ["scannedId"] = scannedId, ["headTurn"] = turn });
        return Read<VerifyAnswer>(answer).Result;
    }

    /// <summary>Ends the running attempt, with reason <c>cancelled</c>.</summary>
    public Task CancelAsync() => CallAsync("cancel");

    /// <summary>Staff have looked at the person; counts only after the prompt <c>staff-confirms</c>.</summary>
    public Task ConfirmByStaffAsync() => CallAsync("confirmByStaff");

    /// <summary>Takes back that this device let the person in.</summary>
    public async Task<TakeBackOutcome> TakeBackAdmissionAsync(string scannedId) =>
        Read<TakeBackAnswer>(await CallAsync("takeBackAdmission", new() { ["scannedId"] = scannedId })).Outcome;

    /// <summary>Deletes keys, then the list, from this phone. The device ends.</summary>
    public Task ForgetAsync() => EndAsync("forget");

    /// <summary>Ends the device; its data stays until its deadline.</summary>
    public async ValueTask DisposeAsync()
    {
        if (current == this) await EndAsync("dispose");
    }

    async Task EndAsync(string name)
    {
        try
        {
            await CallAsync(name);
        }
        finally
        {
            Close();
        }
    }

    void Close()
    {
        channel.Events = null;
        Interlocked.CompareExchange(ref current, null, this);
    }

    async Task<string> CallAsync(string name, JsonObject? body = null)
    {
        if (current != this) throw new SvcDeviceException("disposed", "the device was disposed");
        return await channel.CallAsync(name, (body ?? []).ToJsonString());
    }

    void OnEvent(string name, string body)
    {
        switch (name)
        {
            case "status":
                Status = Read<StatusBody>(body).Status;
                StatusChanged?.Invoke(this, Status);
                break;
            case "prompt":
                PromptChanged?.Invoke(this, Read<PromptBody>(body).Prompt);
                break;
        }
    }

    /// <summary>The contract's <c>prompt</c> without the attempt, which the shell keeps to itself.</summary>
    sealed record PromptBody([property: System.Text.Json.Serialization.JsonPropertyName("prompt")] Prompt? Prompt);

    static T Read<T>(string text) where T : class
    {
        try
        {
            return JsonSerializer.Deserialize<T>(text, reading) ?? throw new JsonException();
        }
        catch (JsonException)
        {
            throw new SvcDeviceException("message-invalid", "an answer of the shell cannot be read");
        }
    }
}
