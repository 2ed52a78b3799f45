using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>
/// The cell of an awakeable, among the calls that await their replies: so it has a number that no other call ever gets, and is saved with
/// them.
/// </summary>
internal sealed class AwakeableCell<T> : DurableCell<T>, IPendingAwakeable
{
    private long _number;
    private DurableTimer? _deadline;

    /// <inheritdoc/>
    public long Number => _number;

    /// <inheritdoc/>
    public string TypeName => AwakeableTypes.NameOf(typeof(T));

    /// <inheritdoc/>
    public DateTimeOffset? Deadline => _deadline?.Deadline;

    void IPendingCall.SetNumber(long number) => _number = number;

    /// <summary>From now on it ends when log time has come so far.</summary>
    public void EndAfter(TimeSpan time)
    {
        _deadline = DurableTimer.Start(time);
        _deadline.AddWaiter(this);
    }

    /// <inheritdoc/>
    public void Complete(ReadOnlySpan<byte> value)
    {
        AwakeableType<T> type = AwakeableTypes.Required<T>();
        var reader = new MessagePackReader(value, Turn.Required.Library);
        T read = type.Read(ref reader);
        if (!reader.Remaining.IsEmpty)
        {
            throw new InvalidDataException("There is more than one value.");
        }

        Close();
        TryComplete(read);
    }

    /// <inheritdoc/>
    public void Fail(Exception error) => End(error);

    /// <summary>Nobody completes it any more. False if it was over already.</summary>
    public bool End(Exception error)
    {
        if (IsCompleted)
        {
            return false;
        }

        Close();
        return TryFail(error);
    }

    /// <summary>The deadline has come.</summary>
    protected internal override void Resume(DurableCell completed) => End(completed.Error ?? new AwakeableExpiredException(
        "Nobody completed the awakeable before its deadline."));

    private void Close()
    {
        ((IAwakeableRuntime)Turn.Required.Owner!).PendingCalls.TryRemove(_number, out _);
        if (_deadline is { IsCompleted: false } deadline)
        {
            deadline.RemoveWaiter(this);
            deadline.Cancel();
        }

        _deadline = null;
    }
}
