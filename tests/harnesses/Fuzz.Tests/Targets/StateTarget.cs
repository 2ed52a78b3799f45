using System.Buffers;
using Ambrosia.Builds;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Runtime;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>The app's part of a checkpoint as the C# binding writes it: a head, then a graph of objects with suspended calls.</summary>
internal sealed class StateTarget : FuzzTarget
{
    private static readonly GraphOptions s_options = new() { Assemblies = [typeof(StateTarget).Assembly], Emit = false };

    private static readonly BuildManifest s_build = new(
        "b1", "m1",
        new Dictionary<int, BuildMethod> { [7] = new BuildMethod(7, "Add", "Add(Sample) -> void", "c1", true, ["Sample"]) },
        new Dictionary<string, BuildType>
            { ["Sample"] = new BuildType(BuildTypeKind.Object, new Dictionary<string, string> { ["Id"] = "System.Int32!" }) });

    public override string Name => "state";

    public override int Weight => 1;

    public override int Largest => 4096;

    // Type names are resolved and plans made for what the bytes name.
    public override long AllocationBase => 4_000_000;

    public override IReadOnlyList<byte[]> Words =>
        [.. "System.Int32|System.String|System.Version|System.Object|System.Diagnostics.Process|[]|[,]|`1".Split('|')
            .Select(System.Text.Encoding.UTF8.GetBytes)];

    public override IEnumerable<byte[]> Seeds()
    {
        var app = new StateSample();
        app.Suspended = app.Wait(5);
        yield return Saved(app);
        yield return Saved(new object?[] { 1, "two", 3.0, new[] { 1, 2 }, new[,] { { 1 } }, 1.5m, null, DateTime.UnixEpoch });
        yield return Saved(new Dictionary<string, List<int>> { ["a"] = [1, 2], ["b"] = [] });
        yield return Saved(null);
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        var bytes = new ReadOnlySequence<byte>(input);
        AppStateHeader header = AppStateHeader.Read(ref bytes);
        Require(header.LogTicks is >= 0 and <= 3155378975999999999
            && bytes.Length < input.Length, "log time is a time, and the graph follows");
        object?[] roots = GraphReader.Read(bytes, [null], s_options);
        if (random.OneIn(8))
        {
            RequireSavesAgain(roots);
        }

        return Accepted;
    }

    // What a damaged graph is found to hold is named in terms of its types: without end, so one outcome stands for all.
    public override string? ReasonOf(Exception error) => error switch
    {
        CheckpointException => error.Message[..Math.Min(error.Message.Length, 24)],
        StateFormatException => "a damaged graph",
        CannotResumeException => "it needs code that this build does not have",
        _ => null,
    };

    private static void RequireSavesAgain(object?[] roots)
    {
        var first = new ArrayBufferWriter<byte>();
        var second = new ArrayBufferWriter<byte>();
        try
        {
            GraphWriter.Write(first, roots, s_options);
        }
        catch (CannotSaveException)
        {
            return; // A text with half a surrogate pair or the like.
        }

        GraphWriter.Write(second, GraphReader.Read(new ReadOnlySequence<byte>(first.WrittenMemory), [null], s_options), s_options);
        Require(first.WrittenSpan.SequenceEqual(second.WrittenSpan), "what was read saves as bytes that read and save as the same");
    }

    private static byte[] Saved(object? root)
    {
        var bytes = new ArrayBufferWriter<byte>();
        new AppStateHeader("1", "Sample", "build", 77, [1, 2], s_build).Write(bytes);
        GraphWriter.Write(bytes, [root], s_options);
        return bytes.WrittenSpan.ToArray();
    }
}
