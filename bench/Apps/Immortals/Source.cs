namespace Ambrosia.Bench.Immortals;

/// <summary>Sends what is measured. Latencies are noted outside of its state: they depend on the moment, and nothing that it does depends on them.</summary>
public sealed class Source : SourceBase
{
    private const string SinkName = "sink";
    private DurableCompletion<long>? _flood;
    private byte[] _payload = [];
    private int _batch;
    private int _underWay;
    private long _executed;
    private bool _stopping;

    public override async DurableTask<long> Flood(int size, int batch, int window)
    {
        (_payload, _batch, _stopping, _executed) = (new byte[size], batch, false, 0);
        _underWay = window;
        _flood = new DurableCompletion<long>();
        for (int i = 0; i < window; i++)
        {
            SendBatch();
        }

        return await _flood.Task;
    }

    public override DurableTask BatchExecuted(long messages)
    {
        if (messages != _batch)
        {
            throw new InvalidOperationException($"{messages} messages were executed of a batch of {_batch}.");
        }

        _executed += messages;
        if (!_stopping)
        {
            SendBatch();
        }
        else if (--_underWay == 0)
        {
            _flood!.SetResult(_executed);
        }

        return default;
    }

    public override async DurableTask<long> Call(int size, int outstanding)
    {
        (_payload, _stopping, _executed) = (new byte[size], false, 0);
        var callers = new DurableTask[outstanding];
        for (int i = 0; i < outstanding; i++)
        {
            callers[i] = KeepCalling(outstanding == 1);
        }

        await DurableTask.WhenAll(callers);
        return _executed;
    }

    public override DurableTask Stop()
    {
        _stopping = true;
        return default;
    }

    protected override void BecomingPrimary(ImmortalContext context) => SourceDesk.Open(This, context);

    private async DurableTask KeepCalling(bool timed)
    {
        while (!_stopping)
        {
            if (timed)
            {
                Latencies.Begin();
            }

            byte[] answer = await Proxy<SinkProxy>(SinkName).EchoAsync(_payload);
            if (timed)
            {
                Latencies.End();
            }

            if (answer.Length != _payload.Length)
            {
                throw new InvalidOperationException($"{answer.Length} bytes came back of {_payload.Length}.");
            }

            _executed++;
        }
    }

    private void SendBatch()
    {
        SinkProxy sink = Proxy<SinkProxy>(SinkName);
        byte[] payload = _payload;
        for (int i = 0; i < _batch; i++)
        {
            sink.TakeFork(payload);
        }

        sink.EndBatchFork(InstanceName);
    }
}
