using System.Buffers;
using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>
/// Run once before an immortal starts: suspends, saves, loads and resumes a known method. A compiler, runtime or trimmer that changed what
/// suspension rests on must stop the app at its first start, not lose a call at the first recovery.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class StateSelfCheck
{
    private static bool s_passed;

    /// <exception cref="PlatformNotSupportedException">This app cannot save suspended calls.</exception>
    public static void Run()
    {
        if (s_passed)
        {
            return;
        }
        if (!RuntimeFeature.IsDynamicCodeSupported)
        {
            throw new PlatformNotSupportedException(
                "An immortal cannot be published with Native AOT: its suspended calls are saved by their code, which is not there at run "
                + "time. Publish it without PublishAot and PublishTrimmed.");
        }
        foreach (bool emit in (bool[])[true, false])
        {
            Check(emit);
        }
        s_passed = true;
    }

    private static void Check(bool emit)
    {
        Turn turn = new();
        GraphOptions options = new() { Emit = emit };
        using TurnScope scope = turn.Enter();
        Probe probe = new();
        probe.Task = probe.Suspend(7, ["a", "b"]);
        ArrayBufferWriter<byte> bytes = new();
        GraphWriter.Write(bytes, [probe], options);
        Probe copy = (Probe)GraphReader.Read(new ReadOnlySequence<byte>(bytes.WrittenMemory), [], options)[0]!;
        copy.Gate.SetResult(5);
        turn.Drain();
        if (!copy.Task.IsCompletedSuccessfully || copy.Task.Result != "7 5 b note kept" || probe.Task.IsCompleted)
        {
            throw new PlatformNotSupportedException(
                $"A suspended method did not survive saving and loading ({copy.Task.Exception?.Message ?? "its locals were lost"}). Is "
                + $"the app trimmed, or its IL rewritten? Publish it without PublishTrimmed, and report the version of .NET: "
                + $"{Environment.Version}.");
        }
    }

    private sealed class Probe
    {
        // Only ever reached through the saved graph: a trimmer that does not know that would remove it.
        private readonly string _note = "note";

        public DurableCompletion<int> Gate { get; } = new();

        public DurableTask<string> Task { get; set; }

        public async DurableTask<string> Suspend(int parameter, List<string> list)
        {
            Exception local = new InvalidOperationException("kept");
            int awaited = await Gate.Task;
            return $"{parameter} {awaited} {list[1]} {_note} {local.Message}";
        }
    }
}
