using System.Buffers;
using System.Reflection;
using System.Text;
using System.Text.Json;
using Ambrosia.Builds;

namespace Ambrosia.Runtime;

/// <summary>
/// The app's part of a checkpoint: a header and one object graph of the immortal's fields, the calls that wait for replies (with
/// everything that is suspended on them) and the timers.
/// </summary>
internal sealed class CheckpointCodec(ImmortalRuntime runtime)
{
    private GraphOptions? _options;
    private Type? _optionsOf;

    /// <summary>Identifies the build of an app: module version and configuration.</summary>
    public static string BuildOf(Type type)
    {
        Assembly assembly = type.Assembly;
        string configuration = assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()?.Configuration ?? "";
        return $"{assembly.ManifestModule.ModuleVersionId:N} {configuration}".TrimEnd();
    }

    /// <summary>Writes the state as it is between two turns.</summary>
    /// <exception cref="CannotSaveException">Something in the state cannot be saved.</exception>
    public void Write(IBufferWriter<byte> output) => Write(output, runtime.Immortal, OptionsOf(runtime.Immortal));

    /// <summary>
    /// Writes the state as if <paramref name="made"/> had always been the immortal in place of <paramref name="old"/>, whose suspended
    /// calls become its.
    /// </summary>
    /// <exception cref="CannotSaveException">Something in the state cannot be saved.</exception>
    public void WriteAs(Immortal made, Immortal old, IBufferWriter<byte> output) =>
        Write(output, made, OptionsOf(made).With(new Succession(old, made)));

    /// <summary>Puts the immortal, which must be fresh, into a saved state.</summary>
    /// <param name="header">The checkpoint's head, which was read.</param>
    /// <param name="graph">What follows it.</param>
    /// <param name="losses">Gets what has no place in this build.</param>
    /// <param name="compare">Called before code of the application sees anything that was saved.</param>
    /// <exception cref="CheckpointException">The bytes are no checkpoint of such an immortal.</exception>
    /// <exception cref="CannotResumeException">The state needs code that this build does not have.</exception>
    public void Read(AppStateHeader header, ReadOnlySequence<byte> graph, StateLosses losses, Action compare)
    {
        object?[] roots = ReadRoots(header, graph, runtime.Immortal, losses);
        compare();
        Take(header, roots);
    }

    /// <summary>
    /// Reads a whole checkpoint into a fresh object, which is the immortal from then on. If that fails, the one before still is.
    /// </summary>
    /// <exception cref="CheckpointException">The bytes are no checkpoint of such an immortal.</exception>
    /// <exception cref="CannotResumeException">The state needs code that this build does not have.</exception>
    public void ReadInto(Immortal fresh, ReadOnlySequence<byte> bytes)
    {
        AppStateHeader header = AppStateHeader.Read(ref bytes);
        object?[] roots = ReadRoots(header, bytes, fresh);
        runtime.Become(fresh);
        Take(header, roots);
    }

    /// <summary>Reads a checkpoint to see whether it can be read.</summary>
    /// <exception cref="CheckpointException">The bytes are no checkpoint of such an immortal.</exception>
    /// <exception cref="CannotResumeException">The state needs code that this build does not have.</exception>
    public void TryRead(Immortal fresh, ReadOnlySequence<byte> bytes)
    {
        AppStateHeader header = AppStateHeader.Read(ref bytes);
        ReadRoots(header, bytes, fresh);
    }

    /// <summary>The state for people, as JSON; or only its hash, by which two states are compared.</summary>
    public string ToJson(bool hashOnly = false, string? leftOut = null)
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
            else if (leftOut is not null)
            {
                json.WriteString("state", leftOut);
            }

            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }

    private void WriteHash(Utf8JsonWriter json, object?[] roots)
    {
        try
        {
            json.WriteString("stateHash", Convert.ToHexString(StateHash.Compute(roots, OptionsOf(runtime.Immortal))).ToLowerInvariant());
        }
        catch (CannotSaveException error)
        {
            json.WriteNull("stateHash"); // People may still look at a state that cannot be saved.
            json.WriteString("cannotSave", error.Message);
        }
    }

    private void WriteState(Utf8JsonWriter json, object?[] roots)
    {
        json.WriteString("class", runtime.Immortal.GetType().FullName);
        json.WriteString("logTime", runtime.Clock.LogTime);
        json.WriteNumber("pendingCalls", runtime.PendingCalls.Count);
        json.WriteNumber("pendingTimers", runtime.Timers.Count);
        json.WriteNumber("pendingEffects", runtime.Effects.Count);
        List<(string, object?)> parts = [("state", roots[0]), ("suspended", roots[1]), ("timers", roots[2])];
        if (EffectsOf(roots) is { } effects)
        {
            parts.Add(("effects", effects));
        }

        if (RoutinesOf(roots) is { } routines)
        {
            parts.Add(("routines", routines));
        }

        StateJson.Write(json, parts);
    }

    private void Write(IBufferWriter<byte> output, Immortal immortal, GraphOptions options)
    {
        Type type = immortal.GetType();
        var saved = new ArrayBufferWriter<byte>();
        immortal.InvokeOnSave(saved);
        string binding = typeof(Immortal).Assembly.GetName().Version?.ToString(3) ?? "";
        BuildManifest build = BuildScan.Of(type, immortal.GetContract);
        new AppStateHeader(binding, type.FullName ?? type.Name, BuildOf(type), runtime.Clock.LogTicks, saved.WrittenSpan.ToArray(), build)
        {
            Roots = Roots(immortal).Length,
        }.Write(output);
        Failpoint.Pass("B5");
        GraphWriter.Write(output, Roots(immortal), options);
    }

    private object?[] ReadRoots(AppStateHeader header, ReadOnlySequence<byte> graph, Immortal target, StateLosses? losses = null)
    {
        try
        {
            GraphOptions options = OptionsOf(target);
            object?[] roots = GraphReader.Read(
                graph, [target, null, null, null, null, null], losses is null ? options : options.With(losses.Found));
            if (roots is not [_, PendingCalls, SavedTimers, FirstStart] and not [_, PendingCalls, SavedTimers, FirstStart, SavedEffects]
                and not [_, PendingCalls, SavedTimers, FirstStart, null or SavedEffects, SavedRoutines])
            {
                throw new CheckpointException("The checkpoint is damaged: its graph has other roots than an immortal's.");
            }

            EffectsOf(roots)?.Check(runtime.Library);
            if (RoutinesOf(roots) is { } routines)
            {
                routines.Check(target.GetContract());
                losses?.Calls.AddRange(routines.Schedules.Select(static schedule => (schedule.Name, schedule.Method)));
            }

            return roots;
        }
        catch (StateFormatException error)
        {
            throw new CheckpointException(
                $"The checkpoint of {header.Class} (build {header.Build}) cannot be read by {target.GetType().FullName}: {error.Message}",
                error);
        }
    }

    private void Take(AppStateHeader header, object?[] roots)
    {
        runtime.PendingCalls = (PendingCalls)roots[1]!;
        runtime.Timers.Restore((SavedTimers)roots[2]!);
        runtime.FirstStart = (FirstStart)roots[3]!;
        runtime.Effects.Restore(EffectsOf(roots));
        runtime.Schedules.Restore(RoutinesOf(roots)?.Schedules ?? []);
        runtime.Sagas.Restore(RoutinesOf(roots)?.Sagas ?? []);
        Failpoint.Pass("B6");
        runtime.Clock.LogTicks = header.LogTicks;
        runtime.Immortal.InvokeOnRestore(new ReadOnlySequence<byte>(header.Saved));
    }

    private GraphOptions OptionsOf(Immortal immortal)
    {
        if (_optionsOf != immortal.GetType())
        {
            _optionsOf = immortal.GetType();
            _options = GraphOptions.For(_optionsOf, new ProxyHandler(runtime.Proxies));
        }

        return _options!;
    }

    private object?[] Roots() => Roots(runtime.Immortal);

    // Without pending effects and schedules there are four: what is written then is what builds without them read and write.
    private object?[] Roots(Immortal immortal)
    {
        object?[] always = [immortal, runtime.PendingCalls, runtime.Timers.Save(), runtime.FirstStart];
        SavedEffects? effects = runtime.Effects.Save();
        var routines = new SavedRoutines(runtime.Schedules.Save(), runtime.Sagas.Save());
        return !routines.IsEmpty ? [.. always, effects, routines] : effects is null ? always : [.. always, effects];
    }

    private static SavedEffects? EffectsOf(object?[] roots) => roots.Length > 4 ? (SavedEffects?)roots[4] : null;

    private static SavedRoutines? RoutinesOf(object?[] roots) => roots.Length > 5 ? (SavedRoutines?)roots[5] : null;
}
