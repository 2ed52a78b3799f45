using Ambrosia.Primitives;

namespace Ambrosia.CrashPoints.Tests.Scripts;

/// <summary>What an app has executed, and where: it stays so in every later life.</summary>
internal sealed class CorePromises
{
    private readonly Dictionary<(ulong Lsn, int Index), ulong> _executed = [];

    public string? Violation { get; private set; }

    public CorePromises Copy()
    {
        var copy = new CorePromises();
        foreach (((ulong Lsn, int Index) place, ulong message) in _executed)
        {
            copy._executed.Add(place, message);
        }

        return copy;
    }

    public void Executed(ulong lsn, int index, ulong message, ulong before)
    {
        Require(message == before + 1, $"message {message} at {lsn}:{index} executed after {before} (G1)");
        Require(_executed.TryAdd((lsn, index), message) || _executed[(lsn, index)] == message,
            $"{lsn}:{index} was executed as {_executed[(lsn, index)]} before, now as {message} (D3)");
    }

    public void Require(bool condition, string violation) => Violation ??= condition ? null : violation;
}
