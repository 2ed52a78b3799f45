using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Protocol;

namespace Ambrosia.TimeTravel.Link;

/// <summary>Reads what an app sends during a replay, and hands each piece to what waits for it.</summary>
internal sealed class AppStream(PipeReader input, string instance, bool marksParts)
{
    private const long MaxMessage = int.MaxValue - 16;
    private readonly object _gate = new();
    private readonly Queue<OutputCut> _cuts = new();
    private readonly Queue<TaskCompletionSource<HeldState?>> _checkpoints = new();
    private readonly Dictionary<ulong, TaskCompletionSource<string>> _states = [];
    private readonly Dictionary<ulong, string> _destinations = [];
    private readonly Dictionary<string, string> _names = new(StringComparer.Ordinal);
    private readonly TurnOutputs _nobody = new();
    private bool _checkpointCame;

    /// <summary>Last turn reported as done.</summary>
    public Position Done { get; private set; }

    /// <summary>Why it ended; null while it has not.</summary>
    public ReplayException? Failure { get; private set; }

    /// <summary>True when this side closes the connection: nothing is to be said of its death then.</summary>
    public bool IsClosing { get; private set; }

    public OutputCut Expect(OutputCut cut)
    {
        bool reached;
        lock (_gate)
        {
            reached = _cuts.Count == 0 && cut.IsReachedAt(Done.Lsn, Done.Index + 1);
            if (!reached && Failure is null)
            {
                _cuts.Enqueue(cut);
                return cut;
            }
        }

        if (reached)
        {
            cut.Complete();
        }
        else
        {
            cut.Fail(Failure!);
        }

        return cut;
    }

    public Task<HeldState?> ExpectCheckpoint()
    {
        var wanted = new TaskCompletionSource<HeldState?>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            if (Failure is null)
            {
                _checkpoints.Enqueue(wanted);
                return wanted.Task;
            }
        }

        wanted.SetException(Failure);
        return wanted.Task;
    }

    public Task<string> ExpectState(ulong id)
    {
        var wanted = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            if (Failure is null)
            {
                _states.Add(id, wanted);
                return wanted.Task;
            }
        }

        wanted.SetException(Failure);
        return wanted.Task;
    }

    /// <summary>Reads to the end of the stream; returns why it ended.</summary>
    public async Task<string> ReadAsync()
    {
        while (true)
        {
            ReadResult result = await input.ReadAsync();
            if (result.IsCanceled)
            {
                IsClosing = true;
                return "the replay was closed";
            }

            ReadOnlySequence<byte> buffer = result.Buffer;
            long used = Take(buffer, out long checkpoint, out string? farewell);
            input.AdvanceTo(buffer.GetPosition(used), checkpoint >= 0 ? buffer.GetPosition(used) : buffer.End);
            if (farewell is not null)
            {
                return farewell;
            }

            if (checkpoint >= 0)
            {
                await TakeCheckpointAsync(checkpoint);
            }
            else if (result.IsCompleted)
            {
                return "it closed the connection";
            }
        }
    }

    /// <summary>Nothing more comes: every waiter is told.</summary>
    public void End(ReplayException failure)
    {
        lock (_gate)
        {
            Failure = failure;
        }

        while (_cuts.TryDequeue(out OutputCut? cut))
        {
            cut.Fail(failure);
        }

        while (_checkpoints.TryDequeue(out TaskCompletionSource<HeldState?>? wanted))
        {
            wanted.TrySetException(failure);
            _ = wanted.Task.Exception;
        }

        foreach (TaskCompletionSource<string> wanted in _states.Values)
        {
            wanted.TrySetException(failure);
            _ = wanted.Task.Exception;
        }
    }

    private long Take(in ReadOnlySequence<byte> buffer, out long checkpoint, out string? farewell)
    {
        long used = 0;
        (checkpoint, farewell) = (-1, null);
        while (AppMessage.TryRead(buffer.Slice(used), MaxMessage, out AppMessage message))
        {
            used += message.TotalSize;
            if (message.Type == BindingMessageType.Checkpoint)
            {
                checkpoint = new ByteReader(message.ToArray()).ReadZigZag("checkpoint size");
                break;
            }

            if (message.Type == BindingMessageType.Goodbye)
            {
                farewell = new ByteReader(message.ToArray()).ReadString(4096, "goodbye reason");
                break;
            }

            Take(message);
        }

        return used;
    }

    private void Take(in AppMessage message)
    {
        switch (message.Type)
        {
            case BindingMessageType.Outputs:
                TakeOutputs(message);
                break;
            case BindingMessageType.Progress:
                Progressed(Progress.Read(message.ToArray()));
                break;
            case BindingMessageType.Destination:
                DestinationName destination = DestinationName.Read(message.ToArray());
                _destinations[destination.Index] = NameOf(destination.Name.Length == 0 ? instance : destination.Name);
                break;
            case BindingMessageType.HandlerFault:
                HandlerFault fault = HandlerFault.Read(message.ToArray());
                Current(out _).AddFault(new AppFault(new Position(fault.Lsn, (int)fault.Index), fault.MethodId, fault.Text));
                break;
            case BindingMessageType.EffectAsked:
                if (Current(out bool keep) is var turn && keep)
                {
                    turn.AddEffect(EffectAsked.Read(message.ToArray()));
                }

                break;
            case BindingMessageType.StateReply:
                TakeState(message.ToArray());
                break;
            case BindingMessageType.UpgradeFailed:
                throw new ReplayException($"the state is not converted: {UpgradeFailure.Read(message.ToArray()).Reason}");
            case BindingMessageType.Heartbeat:
                AnswerCheckpoint();
                break;
            default:
                break; // Requests for checkpoints and what later versions may add mean nothing to a replay.
        }
    }

    private void TakeOutputs(in AppMessage message)
    {
        RunHeader header = RunHeader.Read(message.Data, out ReadOnlySequence<byte> messages);
        if (!_destinations.TryGetValue(header.Destination, out string? destination))
        {
            throw new ProtocolException($"destination {header.Destination} was not defined", 0);
        }

        Current(out bool keep).AddRun(destination, messages, header.Count, keep);
    }

    private TurnOutputs Current(out bool keep)
    {
        lock (_gate)
        {
            if (_cuts.TryPeek(out OutputCut? cut))
            {
                keep = cut.Keep;
                return cut.Outputs;
            }
        }

        keep = false;
        return _nobody;
    }

    private void Progressed(Progress progress)
    {
        OutputCut? cut;
        lock (_gate)
        {
            Done = new Position(progress.Lsn, progress.MessagesDone - 1);
            if (!_cuts.TryPeek(out cut))
            {
                return;
            }

            // An app that takes whole records only says how far it is wherever its buffers end; only ends of records mean the same to
            // every run.
            if (cut.Keep && (marksParts || progress.RecordComplete))
            {
                cut.Outputs.Mark(progress.Lsn, progress.MessagesDone);
            }

            if (!cut.IsReachedAt(progress.Lsn, progress.MessagesDone))
            {
                return;
            }

            _cuts.Dequeue();
        }

        cut.Complete();
    }

    private void TakeState(byte[] data)
    {
        var reader = new ByteReader(data);
        ulong id = reader.ReadVarint("state request id");
        TaskCompletionSource<string>? wanted;
        lock (_gate)
        {
            _states.Remove(id, out wanted);
        }

        wanted?.TrySetResult(Encoding.UTF8.GetString(reader.Rest));
    }

    private async Task TakeCheckpointAsync(long size)
    {
        HeldState state = await HeldState.ReadAsync(input, size);
        TaskCompletionSource<HeldState?>? wanted;
        lock (_gate)
        {
            _checkpoints.TryPeek(out wanted);
        }

        _checkpointCame = true;
        wanted?.TrySetResult(state);
    }

    private void AnswerCheckpoint()
    {
        TaskCompletionSource<HeldState?>? wanted;
        lock (_gate)
        {
            _checkpoints.TryDequeue(out wanted);
        }

        if (!_checkpointCame)
        {
            wanted?.TrySetResult(null);
        }

        _checkpointCame = false;
    }

    private string NameOf(string name)
    {
        if (!_names.TryGetValue(name, out string? known))
        {
            _names.Add(name, known = name);
        }

        return known;
    }
}
