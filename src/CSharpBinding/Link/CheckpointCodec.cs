using System.Buffers;
using System.Reflection;
using System.Text;
using System.Text.Json;
using Ambrosia.Hosting;
using Ambrosia.Runtime;

namespace Ambrosia.Link;

/// <summary>
/// The app's part of a checkpoint: a header and one object graph of the immortal's fields, the calls that wait for replies (with
/// everything that is suspended on them) and the timers.
/// </summary>
internal sealed class CheckpointCodec(Immortal immortal, ImmortalRuntime runtime)
{
    private readonly GraphOptions _options = GraphOptions.For(immortal.GetType(), new ProxyHandler(runtime.Proxies));

    /// <summary>Identifies the build of an app: module version and configuration.</summary>
    public static string BuildOf(Type type)
    {
        Assembly assembly = type.Assembly;
        string configuration = assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()?.Configuration ?? "";
        return $"{assembly.ManifestModule.ModuleVersionId:N} {configuration}".TrimEnd();
    }

    /// <summary>Writes the state as it is between two turns.</summary>
    /// <exception cref="CannotSaveException">Something in the state cannot be saved.</exception>
    public void Write(IBufferWriter<byte> output)
    {
        Type type = immortal.GetType();
        var saved = new ArrayBufferWriter<byte>();
        immortal.InvokeOnSave(saved);
        string binding = typeof(Immortal).Assembly.GetName().Version?.ToString(3) ?? "";
        new CheckpointHeader(binding, type.FullName ?? type.Name, BuildOf(type), runtime.Clock.LogTicks, saved.WrittenSpan.ToArray()).Write(output);
        Failpoint.Pass("B5");
        GraphWriter.Write(output, Roots(), _options);
    }

    /// <summary>Puts the immortal, which must be fresh, into a saved state.</summary>
    /// <exception cref="CheckpointException">The bytes are no checkpoint of such an immortal.</exception>
    /// <exception cref="CannotResumeException">The state needs code that this build does not have.</exception>
    public void Read(ReadOnlySequence<byte> bytes)
    {
        CheckpointHeader header = CheckpointHeader.Read(ref bytes);
        try
        {
            object?[] roots = GraphReader.Read(bytes, [immortal, null, null, null], _options);
            if (roots is not [_, PendingCalls calls, SavedTimers timers, FirstStart firstStart])
            {
                throw new CheckpointException("The checkpoint is damaged: its graph has other roots than an immortal's.");
            }

            runtime.PendingCalls = calls;
            runtime.Timers.Restore(timers);
            runtime.FirstStart = firstStart;
        }
        catch (StateFormatException error)
        {
            throw new CheckpointException($"The checkpoint of {header.Class} (build {header.Build}) cannot be read by {immortal.GetType().FullName}: {error.Message}", error);
        }

        Failpoint.Pass("B6");
        runtime.Clock.LogTicks = header.LogTicks;
        immortal.InvokeOnRestore(new ReadOnlySequence<byte>(header.Saved));
    }

    /// <summary>The state for people, as JSON; or only its hash, by which two states are compared.</summary>
    public string ToJson(bool hashOnly = false)
    {
        object?[] roots = Roots();
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            WriteHash(json, roots);
            if (!hashOnly)
            {
                WriteState(json, roots);
            }

            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }

    private void WriteHash(Utf8JsonWriter json, object?[] roots)
    {
        try
        {
            json.WriteString("stateHash", Convert.ToHexString(StateHash.Compute(roots, _options)).ToLowerInvariant());
        }
        catch (CannotSaveException error)
        {
            json.WriteNull("stateHash"); // People may still look at a state that cannot be saved.
            json.WriteString("cannotSave", error.Message);
        }
    }

    private void WriteState(Utf8JsonWriter json, object?[] roots)
    {
        json.WriteString("class", immortal.GetType().FullName);
        json.WriteString("logTime", runtime.Clock.LogTime);
        json.WriteNumber("pendingCalls", runtime.PendingCalls.Count);
        json.WriteNumber("pendingTimers", runtime.Timers.Count);
        StateJson.Write(json, [("state", roots[0]), ("suspended", roots[1]), ("timers", roots[2])]);
    }

    private object?[] Roots() => [immortal, runtime.PendingCalls, runtime.Timers.Save(), runtime.FirstStart];
}
