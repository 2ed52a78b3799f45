using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// What a log page gathers beside its payload. Written on the core's context between reservation and publication, read by the
/// committer once all writers have published.
/// </summary>
internal sealed class PageMarks : RecordMarks
{
    private readonly List<InputState> _states = [];
    private readonly Action<PageMarks>? _return;

    /// <summary>Marks of one record, or of one after the other if they are returned.</summary>
    /// <param name="giveBack">Takes them back when nobody reads them any more; null: nobody does.</param>
    public PageMarks(Action<PageMarks>? giveBack = null) => _return = giveBack;

    /// <summary>Notes messages of one input that were copied into the page.</summary>
    public void AddRun(InputState input, int messages, int bytes, Watermark accepted)
    {
        int index = _states.IndexOf(input);
        var mark = new InputWatermark(input.Name, input.SenderId, accepted);
        if (index < 0)
        {
            index = _states.Count;
            _states.Add(input);
            Inputs.Add(mark);
        }
        else
        {
            Inputs[index] = mark;
        }

        MessageCount += messages;
        if (Runs.Count > 0 && Runs[^1].InputIndex == index)
        {
            Runs[^1] = new InputRun(index, Runs[^1].Messages + messages, Runs[^1].Bytes + bytes);
        }
        else
        {
            Runs.Add(new InputRun(index, messages, bytes));
        }
    }

    /// <summary>
    /// Notes that messages of an input will never come. Whatever of it is in the page after the gap has moved the watermark further
    /// already.
    /// </summary>
    public void AddGap(InputState input, InputWatermark mark)
    {
        int index = _states.IndexOf(input);
        if (index < 0)
        {
            _states.Add(input);
            Inputs.Add(mark);
        }
        else if (Inputs[index].SenderId == mark.SenderId && Inputs[index].Watermark.Total < mark.Watermark.Total)
        {
            Inputs[index] = mark;
        }
    }

    /// <summary>Notes what is said of calls from outside, whose messages follow so many others of the page.</summary>
    public void AddOutside(OutsideMarks marks, int messages) => (Outside ??= new OutsideMarks()).Add(marks, messages);

    /// <summary>Nobody reads them any more: they are ready for another record.</summary>
    public void Return()
    {
        _states.Clear();
        ClearMarks();
        _return?.Invoke(this);
    }
}
