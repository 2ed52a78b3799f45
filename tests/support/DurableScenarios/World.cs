using System.Buffers;
using Ambrosia.Runtime;

namespace Ambrosia.DurableScenarios;

/// <summary>One running scenario: everything in here is saved.</summary>
public sealed class World
{
    public required string Name;
    public required ScenarioHost App;
    public List<string> Trace = [];
    public int Step;
    public string? Result;
    public PendingCalls Calls = new();

    public static World Start(string name, ScenarioHost app, Turn turn)
    {
        World world = new() { Name = name, App = app };
        app.World = world;
        using TurnScope scope = turn.Enter();
        DurableTask<string> task = app.Run(name);
        if (task.IsCompletedSuccessfully)
        {
            world.Result = task.Result;
        }
        else
        {
            new Finish(world).Await(task);
        }
        turn.Drain();
        return world;
    }

    /// <summary>Replies to one of the pending calls, not always the oldest, and runs what that makes ready.</summary>
    public void Deliver(Turn turn)
    {
        IPendingCall[] pending = [.. Calls];
        IPendingCall call = pending[Step++ * 7 % pending.Length];
        Calls.TryRemove(call.Number, out _);
        using TurnScope scope = turn.Enter();
        ((ITestCall)call).Deliver(this);
        turn.Drain();
    }

    public bool IsRunning => Calls.Count > 0;

    public string Summary =>
        $"{string.Join("|", Trace)} => {Result} after {Step} replies, next call {Calls.NextNumber}, state {App.StateText()}";

    public byte[] Save(bool emit)
    {
        ArrayBufferWriter<byte> writer = new();
        GraphWriter.Write(writer, [this], Options(emit));
        return writer.WrittenSpan.ToArray();
    }

    public static World Load(byte[] bytes, bool emit) =>
        (World)GraphReader.Read(new ReadOnlySequence<byte>(bytes), [], Options(emit))[0]!;

    public static GraphOptions Options(bool emit)
    {
        GraphOptions options = GraphOptions.For(typeof(World));
        return new GraphOptions { Assemblies = options.Assemblies, Emit = emit };
    }
}
