using Ambrosia.Primitives;

namespace Ambrosia.Bench.Immortals;

/// <summary>Sends and takes what is measured. Latencies are noted outside of its state: they depend on the moment, and nothing that it does
/// depends on them.</summary>
public sealed class Worker : WorkerBase
{
    private readonly DurableList<byte[]> _ballast = [];
    private DurableCompletion<long>? _flood;
    private byte[] _payload = [];
    private int _batch;
    private int _underWay;
    private long _limit;
    private long _sent;
    private long _executed;
    private long _taken;
    private long _announced;
    private bool _stopping;

    public override async DurableTask<long> Flood(string targets, int size, int batch, int window, long limit)
    {
        (_payload, _batch, _stopping, _executed, _sent, _limit) = (new byte[size], batch, false, 0, 0, limit);
        string[] all = targets.Split(',');
        _underWay = window * all.Length;
        _flood = new DurableCompletion<long>();
        for (int i = 0; i < window; i++)
        {
            foreach (string target in all)
            {
                SendBatch(target);
            }
        }

        return await _flood.Task;
    }

    public override DurableTask BatchExecuted(string target, int messages)
    {
        _executed += messages;
        if (!_stopping && (_limit == 0 || _sent < _limit))
        {
            SendBatch(target);
        }
        else if (--_underWay == 0)
        {
            _flood!.SetResult(_executed);
        }

        return default;
    }

    public override async DurableTask<long> Call(string targets, int size, int outstanding)
    {
        (_payload, _stopping, _executed) = (new byte[size], false, 0);
        string[] all = targets.Split(',');
        var callers = new DurableTask[outstanding];
        for (int i = 0; i < outstanding; i++)
        {
            callers[i] = KeepCalling(Proxy<WorkerProxy>(all[i % all.Length]), outstanding == 1);
        }

        await DurableTask.WhenAll(callers);
        return _executed;
    }

    public override async DurableTask<byte[]> Relay(string target, byte[] payload) => await Proxy<WorkerProxy>(target).EchoAsync(payload);

    public override DurableTask Stop()
    {
        _stopping = true;
        return default;
    }

    public override DurableTask Grow(int megabytes)
    {
        for (int i = 0; i < megabytes; i++)
        {
            _ballast.Add(new byte[1 << 20]);
        }

        return default;
    }

    public override DurableTask Save()
    {
        TakeCheckpoint();
        return default;
    }

    public override DurableTask<long> Taken() => _taken;

    public override DurableTask Take(byte[] payload)
    {
        _taken++;
        return default;
    }

    public override DurableTask EndBatch(string sender, int messages)
    {
        _announced += messages;
        if (_announced > _taken)
        {
            throw new InvalidOperationException($"{_taken} messages were executed of {_announced} that were sent before.");
        }

        Proxy<WorkerProxy>(sender).BatchExecutedFork(InstanceName, messages);
        return default;
    }

    public override DurableTask<byte[]> Echo(byte[] payload) => payload;

    protected override void BecomingPrimary(ImmortalContext context) => WorkerDesk.Open(This, context);

    private async DurableTask KeepCalling(WorkerProxy target, bool timed)
    {
        while (!_stopping)
        {
            if (timed)
            {
                Latencies.Begin();
            }

            byte[] answer = await target.EchoAsync(_payload);
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

    private void SendBatch(string target)
    {
        WorkerProxy proxy = Proxy<WorkerProxy>(target);
        byte[] payload = _payload;
        for (int i = 0; i < _batch; i++)
        {
            proxy.TakeFork(payload);
        }

        _sent += _batch;
        proxy.EndBatchFork(InstanceName, _batch);
    }
}
