using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>
/// A coordinator's side of the binding link as far as an app can see it: keeps a log, checkpoints and outputs in memory, feeds
/// records, compares what is generated again with what was generated first, and can be killed between any two of its acts.
/// </summary>
internal sealed class ScriptedCoordinator(Func<Immortal> create, ImmortalOptions? options = null) : IAsyncDisposable
{
    public const string Instance = "counter";
    private static readonly TimeSpan s_patience = Patience.Time;
    private readonly object _gate = new();
    private readonly Dictionary<ulong, string> _destinations = [];
    private readonly Dictionary<string, List<byte[]>> _generated = [];
    private readonly Dictionary<string, int> _sent = [];
    private readonly List<(string Destination, byte[] Message)> _unreleased = [];
    private readonly Guid _instanceId = Guid.Parse("6f1c1b50-7a1f-4b0e-9d5b-0a3d5f3c2e11");
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private DuplexPipe? _link;
    private Task _reading = Task.CompletedTask;
    private ulong _epoch;
    private bool _live;

    /// <summary>Name of the immortal.</summary>
    public string Name { get; init; } = Instance;

    public List<LoggedRecord> Log { get; } = [];

    public List<SavedCheckpoint> Checkpoints { get; } = [];

    public List<string> Faults { get; } = [];

    public List<byte[]> Impulses { get; } = [];

    public List<string> Divergences { get; } = [];

    public Task<string> App { get; private set; } = Task.FromResult("");

    public Immortal? Immortal { get; private set; }

    public ImmortalHost? Host { get; private set; }

    public BindingHello? Hello { get; private set; }

    public ulong ProgressLsn { get; private set; }

    /// <summary>What the app sends behind this many bytes (of all its lives) is lost, as is the app.</summary>
    public long CutAfter { get; set; } = long.MaxValue;

    public long BytesReceived { get; private set; }

    public bool LogsSelfMessages { get; set; } = true;

    /// <summary>Whether the app's process outlives its connections.</summary>
    public bool KeepsHost { get; set; }

    /// <summary>Features that it agrees on.</summary>
    public ulong Features { get; set; }

    /// <summary>What the app said that it answers to, each time.</summary>
    public List<string> Contracts { get; } = [];

    /// <summary>What the app told about its effects, each time.</summary>
    public List<EffectsTold> Told { get; } = [];

    /// <summary>What the app told of its schedules and compensations.</summary>
    /// <summary>What the app said that its methods take and return, each time.</summary>
    public List<string> Shapes { get; } = [];

    public List<RoutinesTold> ToldRoutines { get; } = [];

    public int SegmentSize { get; set; } = 4096;

    public long MaxMessageBytes { get; set; } = 1 << 20;

    public long Now { get; set; } = new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc).Ticks;

    public TimeProvider? Time { get; set; }

    /// <summary>Stops the app by its own wish.</summary>
    public CancellationTokenSource Stop { get; } = new();

    /// <summary>What the app's host writes to; null: nothing.</summary>
    public ILogger? Logger { get; set; }

    /// <summary>Messages sent to a destination, in order, released by a progress mark.</summary>
    public IReadOnlyList<byte[]> SentTo(string destination)
    {
        lock (_gate)
        {
            return _generated.TryGetValue(destination, out List<byte[]>? messages) ? [.. messages] : [];
        }
    }

    /// <summary>By what awakeables are named, from the first record on; null: there are none.</summary>
    public AwakeableKey? Awakeables { get; set; }

    public Guid InstanceId => _instanceId;

    public async Task StartFirstAsync()
    {
        await AttachAsync(BindingMode.FirstStart);
        await SendAsync(TestMessage.Frame(BindingMessageType.TakeBecomingPrimaryCheckpoint, []));
        await UntilAsync(() => Checkpoints.Count > 0, "first checkpoint");
        await BecomePrimaryAsync();
        await NameAwakeablesAsync();
    }

    /// <summary>Starts the app again from a checkpoint (the last one by default) and replays what follows it.</summary>
    public async Task RecoverAsync(int checkpoint = -1, bool becomePrimary = true, byte[]? skip = null)
    {
        SavedCheckpoint from = checkpoint < 0 ? Checkpoints[^1] : Checkpoints[checkpoint];
        lock (_gate)
        {
            _sent.Clear();
            foreach ((string destination, int count) in from.Sent)
            {
                _sent[destination] = count;
            }

            ProgressLsn = from.Lsn;
        }

        await AttachAsync(BindingMode.Recover);
        await SendCheckpointAsync(from.Bytes);
        await NameAwakeablesAsync();
        if (skip is not null)
        {
            await SendAsync(TestMessage.Frame(BindingMessageType.Skip, skip));
        }

        LoggedRecord[] later = [.. Log.Where(record => record.Lsn > from.Lsn)];
        foreach (LoggedRecord record in later)
        {
            await SendRecordAsync(record, replay: true);
        }

        StateJson = null;
        await SendAsync(TestMessage.Frame(BindingMessageType.StateRequest, [1]));
        await UntilAsync(() => StateJson is not null, "state after replay");
        if (becomePrimary)
        {
            await BecomePrimaryAsync();
        }

        await UntilAsync(() => ProgressLsn >= (later.Length == 0 ? from.Lsn : later[^1].Lsn), "replay");
    }

    private async Task NameAwakeablesAsync()
    {
        if (Awakeables is not null)
        {
            var data = new System.Buffers.ArrayBufferWriter<byte>();
            Awakeables.Write(data);
            await SendAsync(TestMessage.Frame(BindingMessageType.Awakeables, data.WrittenSpan));
        }
    }

    /// <summary>Appends a record and gives it to the app; ends when the app has executed it.</summary>
    public async Task DeliverAsync(params byte[][] messages)
    {
        LoggedRecord record = Append(messages);
        await SendRecordAsync(record, replay: false);
        await UntilAsync(() => ProgressLsn >= record.Lsn, $"progress of record {record.Lsn}");
        await SettleAsync();
    }

    /// <summary>Appends a record without giving it to anybody, as if the app died before.</summary>
    public LoggedRecord Append(params byte[][] messages)
    {
        lock (_gate)
        {
            int count = messages.Sum(CountOf);
            var record = new LoggedRecord((ulong)Log.Count + 1, _epoch, Now, count, [.. messages.SelectMany(message => message)]);
            Log.Add(record);
            return record;
        }
    }

    public Task DeliverAsync(LoggedRecord record) => SendRecordAsync(record, replay: false);

    public async Task CheckpointAsync()
    {
        int before = Checkpoints.Count;
        await SendAsync(TestMessage.Frame(BindingMessageType.TakeCheckpoint, []));
        await UntilAsync(() => Checkpoints.Count > before, "checkpoint");
    }

    public Task SendAsync(byte[] bytes) => SendAsync(bytes.AsMemory());

    public async Task SendAsync(ReadOnlyMemory<byte> bytes) => await _link!.Output.WriteAsync(bytes);

    /// <summary>The connection breaks: what was not released by a progress mark is gone.</summary>
    public async Task KillAsync()
    {
        await _link!.Output.CompleteAsync(new IOException("killed"));
        await CloseInputAsync();
        await Assert.ThrowsAsync<LinkClosedException>(() => App);
        Forget();
    }

    /// <summary>Whatever the app still sends is refused; what it was sent stays where it can read it.</summary>
    public async Task CloseInputAsync()
    {
        _link!.Input.CancelPendingRead();
        await _reading;
        await _link.Input.CompleteAsync();
    }

    /// <summary>Drops what an app that has ended left without a progress mark.</summary>
    public void Forget()
    {
        lock (_gate)
        {
            _unreleased.Clear();
            _live = false;
        }
    }

    public async Task DrainAsync()
    {
        byte[] reason = Encoding.UTF8.GetBytes("test is over");
        await SendAsync(TestMessage.Frame(BindingMessageType.Drain, [(byte)reason.Length, .. reason]));
        Assert.Equal("test is over", await App.WaitAsync(s_patience));
    }

    public async Task UntilAsync(Func<bool> condition, string what)
    {
        using var patience = new CancellationTokenSource(s_patience);
        while (true)
        {
            bool ended = App.IsCompleted;
            if (ended)
            {
                await _reading.WaitAsync(patience.Token); // What it sent before it ended may still be on its way.
            }

            Task changed;
            lock (_gate)
            {
                if (condition())
                {
                    return;
                }

                if (BytesReceived >= CutAfter)
                {
                    throw new ScriptedCutException();
                }

                changed = _changed.Task;
            }

            if (ended)
            {
                Assert.Fail($"The app ended ({await App}) while the test waited for: {what}");
            }

            try
            {
                Task first = await Task.WhenAny(changed.WaitAsync(patience.Token), App);
                if (first != App)
                {
                    await first;
                }
            }
            catch (OperationCanceledException)
            {
                throw new TimeoutException($"Waited too long for: {what}");
            }
        }
    }

    /// <summary>Logs what the immortal sent to itself until there is nothing more.</summary>
    public async Task SettleAsync()
    {
        while (LogsSelfMessages)
        {
            LoggedRecord? next = TakeSelfRecord();
            if (next is null)
            {
                return;
            }

            await SendRecordAsync(next, replay: false);
            await UntilAsync(() => ProgressLsn >= next.Lsn, $"progress of own record {next.Lsn}");
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_link is not null && !App.IsCompleted)
        {
            await DrainAsync();
        }

        await _reading;
        Stop.Dispose();
    }

    public async Task AttachAsync(BindingMode mode)
    {
        (DuplexPipe coordinator, DuplexPipe app) = DuplexPipe.Create(SegmentSize);
        _link = coordinator;
        _epoch++;
        _destinations.Clear();
        Hello = null;
        Host = Host is not null && KeepsHost ? Host : new ImmortalHost(
            () => Immortal = create(), options ?? new ImmortalOptions { InstanceName = Instance }, Logger, Time);
        App = Host.RunAsync(app, Stop.Token);
        _reading = ReadAsync(coordinator.Input);
        await UntilAsync(() => Hello is not null, "hello");
        var data = new ArrayBufferWriter<byte>();
        new BindingWelcome(2, Features, mode, _epoch, _instanceId, Name, MaxMessageBytes, 64 << 20).Write(data);
        await SendAsync(TestMessage.Frame(BindingMessageType.Welcome, data.WrittenSpan));
    }

    public async Task SendCheckpointAsync(byte[] bytes)
    {
        byte[] size = new byte[Varint.MaxSize64];
        await SendAsync(TestMessage.Frame(BindingMessageType.Checkpoint, size.AsSpan(0, Varint.WriteZigZag(size, bytes.Length))));
        await SendAsync(bytes);
    }

    public async Task BecomePrimaryAsync()
    {
        await SendAsync(TestMessage.Frame(BindingMessageType.BecomingPrimary, []));
        await UntilAsync(() => _live, "BecomingPrimary sent back");
        await SettleAsync();
    }

    private async Task SendRecordAsync(LoggedRecord record, bool replay)
    {
        byte[] info = new byte[RecordInfo.MaxSize];
        int size = new RecordInfo(record.Lsn, record.Epoch, record.Timestamp, record.Count, record.Payload.Length, replay
            ? RecordInfo.Replay : (byte)0).Write(info);
        await SendAsync([.. TestMessage.Frame(BindingMessageType.RecordInfo, info.AsSpan(0, size)), .. record.Payload]);
    }

    private static int CountOf(byte[] message)
    {
        var scanner = new MessageScanner(message);
        Assert.True(scanner.MoveNext());
        if (scanner.Type == BindingMessageType.Rpc)
        {
            return 1;
        }

        Varint.TryReadZigZag(scanner.Data, out long count, out _);
        return (int)count;
    }

    private int _selfLogged;

    private LoggedRecord? TakeSelfRecord()
    {
        lock (_gate)
        {
            byte[][] own = [.. SentTo("").Skip(_selfLogged), .. Impulses];
            if (own.Length == 0)
            {
                return null;
            }

            _selfLogged = SentTo("").Count;
            Impulses.Clear();
            return Append(own);
        }
    }

    private async Task ReadAsync(PipeReader input)
    {
        while (true)
        {
            ReadResult result;
            try
            {
                result = await input.ReadAsync();
            }
            catch (IOException)
            {
                return; // The app's end of a broken connection.
            }

            ReadOnlySequence<byte> buffer = result.Buffer;
            lock (_gate)
            {
                while (BytesReceived < CutAfter)
                {
                    long before = buffer.Length;
                    if (!TryTake(ref buffer))
                    {
                        break;
                    }

                    BytesReceived += before - buffer.Length;
                }

                TaskCompletionSource changed = _changed;
                _changed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                changed.SetResult();
            }

            input.AdvanceTo(buffer.Start, buffer.End);
            if (result.IsCompleted || result.IsCanceled)
            {
                return;
            }
        }
    }

    private bool TryTake(ref ReadOnlySequence<byte> buffer)
    {
        byte[] head = buffer.Slice(0, Math.Min(buffer.Length, Varint.MaxSize64)).ToArray();
        if (!Varint.TryReadZigZag(head, out long size, out int prefix) || buffer.Length < prefix + size)
        {
            return false;
        }

        byte[] message = buffer.Slice(prefix, size).ToArray();
        var type = (BindingMessageType)message[0];
        byte[] data = message[1..];
        int used = (int)(prefix + size);
        if (type == BindingMessageType.Checkpoint)
        {
            Varint.TryReadZigZag(data, out long length, out _);
            if (buffer.Length < used + length)
            {
                return false;
            }

            Checkpoints.Add(new SavedCheckpoint(ProgressLsn, buffer.Slice(used, length).ToArray(), new Dictionary<string, int>(_sent)));
            used += (int)length;
        }
        else
        {
            On(type, data);
        }

        buffer = buffer.Slice(used);
        return true;
    }

    private void On(BindingMessageType type, byte[] data)
    {
        var reader = new ByteReader(data);
        switch (type)
        {
            case BindingMessageType.Hello:
                Hello = BindingHello.Read(data);
                break;
            case BindingMessageType.Destination:
                _destinations[reader.ReadVarint("index")] = reader.ReadString(64, "name");
                Assert.InRange(_destinations.Count, 1, FrameLimits.DestinationIndexes);
                break;
            case BindingMessageType.Outputs:
                OnOutputs(ref reader);
                break;
            case BindingMessageType.Impulses:
                Assert.True(_live, "An impulse came before BecomingPrimary was sent back.");
                OnImpulses(ref reader);
                break;
            case BindingMessageType.Progress:
                OnProgress(Progress.Read(data));
                break;
            case BindingMessageType.InitialMessage:
                Release("", data);
                break;
            case BindingMessageType.BecomingPrimary:
                _live = true;
                break;
            case BindingMessageType.HandlerFault:
                reader.ReadVarint("lsn");
                reader.ReadVarint("index");
                reader.ReadZigZag("method");
                Faults.Add(reader.ReadString(8192, "text"));
                break;
            case BindingMessageType.TakeCheckpoint:
                CheckpointRequests++;
                break;
            case BindingMessageType.CheckpointDeclined:
                Declined.Add(CheckpointDeclined.Read(data).Reason);
                break;
            case BindingMessageType.StateReply:
                reader.ReadVarint("id");
                StateJson = Encoding.UTF8.GetString(reader.Rest);
                break;
            case BindingMessageType.QueryReply:
                QueryReply = reader.Rest.ToArray();
                break;
            case BindingMessageType.Contract:
                Assert.True(_live);
                Contracts.Add(BindingContract.Read(data).Text);
                break;
            case BindingMessageType.Shapes:
                Assert.True(_live);
                Shapes.Add(BindingShapes.Read(data).Text);
                break;
            case BindingMessageType.Effects:
                Told.Add(EffectsTold.Read(data));
                break;
            case BindingMessageType.Routines:
                ToldRoutines.Add(RoutinesTold.Read(data));
                break;
            default:
                Others.Add(type);
                break;
        }
    }

    public int CheckpointRequests { get; private set; }

    /// <summary>Why no checkpoint came when one was asked for.</summary>
    public List<string> Declined { get; } = [];

    public string? StateJson { get; private set; }

    /// <summary>Data of the last answer to a query.</summary>
    public byte[]? QueryReply { get; private set; }

    /// <summary>Asks a query and returns its status with the bytes of its answer.</summary>
    public async Task<(QueryStatus Status, byte[] Body)> AskAsync(int method, WriteArguments arguments)
    {
        return await AskFramedAsync(TestMessage.Call(RpcKind.Fork, method, arguments));
    }

    /// <summary>The same; the data of the call is given.</summary>
    public Task<(QueryStatus Status, byte[] Body)> AskAsync(byte[] call) => AskFramedAsync(TestMessage.Frame(BindingMessageType.Rpc, call));

    private async Task<(QueryStatus Status, byte[] Body)> AskFramedAsync(byte[] message)
    {
        QueryReply = null;
        await SendAsync(TestMessage.Frame(BindingMessageType.Query, [7, .. message]));
        await UntilAsync(() => QueryReply is not null, "answer to a query");
        return Read(QueryReply!);
    }

    private static (QueryStatus Status, byte[] Body) Read(byte[] data)
    {
        Protocol.QueryReply reply = Protocol.QueryReply.Read(data);
        Assert.Equal(7u, reply.Id);
        return (reply.Status, reply.Body.ToArray());
    }

    public List<BindingMessageType> Others { get; } = [];

    private void OnOutputs(ref ByteReader reader)
    {
        string destination = _destinations[reader.ReadVarint("index")];
        int count = (int)reader.ReadVarint("count");
        var scanner = new MessageScanner(reader.Rest);
        int found = 0;
        while (scanner.MoveNext())
        {
            Assert.Equal(BindingMessageType.Rpc, scanner.Type);
            Assert.False(scanner.IsImpulse);
            _unreleased.Add((destination, TestMessage.Frame(scanner.Type, scanner.Data)));
            found++;
        }

        Assert.Equal(count, found);
    }

    private void OnImpulses(ref ByteReader reader)
    {
        string destination = _destinations[reader.ReadVarint("index")];
        int count = (int)reader.ReadVarint("count");
        var scanner = new MessageScanner(reader.Rest);
        while (scanner.MoveNext())
        {
            Assert.True(scanner.IsImpulse);
            count--;
            if (destination.Length == 0)
            {
                Impulses.Add(TestMessage.Frame(scanner.Type, scanner.Data));
            }
            else
            {
                ForeignImpulses.Add((destination, scanner.Data.ToArray()));
            }
        }

        Assert.Equal(0, count);
    }

    public List<(string Destination, byte[] Data)> ForeignImpulses { get; } = [];

    private void OnProgress(Progress progress)
    {
        foreach ((string destination, byte[] message) in _unreleased)
        {
            Release(destination, message);
        }

        _unreleased.Clear();
        Assert.True(progress.Lsn >= ProgressLsn);
        if (progress.RecordComplete)
        {
            ProgressLsn = progress.Lsn;
        }
    }

    // What is generated again is dropped, after a look whether it is the same: as the coordinator looks, which compares no exceptions,
    // because what they say of the stack depends on
    // what was compiled by then. Across destinations it compares more: the order of them all in a record.
    private void Release(string destination, byte[] message)
    {
        List<byte[]> all = _generated.TryGetValue(destination, out List<byte[]>? list) ? list : _generated[destination] = [];
        int sent = _sent.GetValueOrDefault(destination);
        _sent[destination] = sent + 1;
        if (sent < all.Count)
        {
            if (!IsSame(all[sent], message))
            {
                Divergences.Add($"message {sent} to '{destination}'");
            }

            return;
        }

        all.Add(message);
    }

    private static bool IsSame(byte[] first, byte[] again) =>
        (IsException(first) && IsException(again)) || first.AsSpan().SequenceEqual(again);

    private static bool IsException(byte[] message)
    {
        var scanner = new MessageScanner(message);
        return scanner.MoveNext() && scanner.Data[0] == (byte)RpcForm.Exception;
    }
}
