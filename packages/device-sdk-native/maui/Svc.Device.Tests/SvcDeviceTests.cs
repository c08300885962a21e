using System.Text.Json.Nodes;
using Svc.Device.Maui;
using Xunit;

namespace Svc.Device.Tests;

using Svc.Device.Contract;

/// <summary>The facade over a channel of its own, and the contract's vectors: the file that the page and the shells replay too.</summary>
public sealed class SvcDeviceTests
{
    static readonly JsonArray vectors =
        JsonNode.Parse(File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "vectors/messages.json")))!["vectors"]!.AsArray();

    sealed class Channel : ISvcDeviceChannel
    {
        public Dictionary<string, JsonNode?> Answers { get; } = new() { ["configure"] = Valid("configure"), ["dispose"] = new JsonObject() };
        public List<(string Name, string Body)> Calls { get; } = [];
        public Action<string, string>? Events { get; set; }

        public Task<string> CallAsync(string name, string body)
        {
            Calls.Add((name, body));
            return Answers.TryGetValue(name, out var answer)
                ? Task.FromResult(answer?.ToJsonString() ?? "null")
                : throw new SvcDeviceException("busy", "not now");
        }
    }

    static IEnumerable<JsonNode> AnswersTo(string name) => vectors.OfType<JsonNode>().Where(vector =>
        (string?)vector["from"] == "page" && vector["message"] is JsonObject message &&
        message["kind"]?.ToString() == "answer" && message["name"]?.ToString() == name && message.ContainsKey("body"));

    static JsonNode? Valid(string name) => AnswersTo(name).First(vector => (string?)vector["reads"] == "answer")["message"]!["body"];

    public static TheoryData<string, string> Replayed => new(
        from name in new[] { "configure", "sync", "verify", "takeBackAdmission" }
        from vector in AnswersTo(name)
        select (name, (string)vector["name"]!));

    static Task<SvcDevice> OpenAsync(Channel channel) => SvcDevice.CreateAsync(
        new("svcd_test", new() { BaseUrl = "https://faces.example", SigningKeys = [new string('A', 43)] }), channel);

    [Theory, MemberData(nameof(Replayed))]
    public async Task ReplaysTheVector(string name, string title)
    {
        var vector = AnswersTo(name).Single(each => (string?)each["name"] == title);
        var body = vector["message"]!["body"];
        var channel = new Channel();
        async Task<object> AskAsync()
        {
            if (name == "configure") channel.Answers[name] = body;
            await using var device = await OpenAsync(channel);
            channel.Answers[name] = body;
            return name switch
            {
                "sync" => await device.SyncAsync(),
                "verify" => await device.VerifyLiveAsync("ticket-4711", new SvcCameraView()),
                "takeBackAdmission" => await device.TakeBackAdmissionAsync("ticket-4711"),
                _ => device.Status,
            };
        }
        if ((string?)vector["reads"] != "answer")
        {
            Assert.Equal("message-invalid", (await Assert.ThrowsAsync<SvcDeviceException>(AskAsync)).Code);
            return;
        }
        var told = JsonNode.Parse(System.Text.Json.JsonSerializer.Serialize(await AskAsync()));
        Assert.True(JsonNode.DeepEquals(told, body!["status"] ?? body["result"] ?? body["outcome"]), told!.ToJsonString());
    }

    [Fact]
    public async Task CallsCarryWhatTheContractNames()
    {
        var channel = new Channel();
        var device = await OpenAsync(channel);
        Assert.Equal("device-in-use", (await Assert.ThrowsAsync<SvcDeviceException>(() => OpenAsync(new()))).Code);
        var refused = await Assert.ThrowsAsync<SvcDeviceException>(
            () => device.VerifyLiveAsync(" 4711", new SvcCameraView(), HeadTurn.Alternative));
        Assert.Equal("busy", refused.Code);
        Assert.Equal(("verify", """{"scannedId":" 4711","headTurn":"alternative"}"""), channel.Calls[^1]);
        Prompt? shown = null;
        device.PromptChanged += (_, prompt) => shown = prompt;
        channel.Events!("prompt", """{"prompt":{"key":"look-back","progress":1,"remainingMs":900}}""");
        Assert.Equal(PromptKey.LookBack, shown?.Key);
        await device.DisposeAsync();
        Assert.Equal("disposed", (await Assert.ThrowsAsync<SvcDeviceException>(device.SyncAsync)).Code);
    }
}
