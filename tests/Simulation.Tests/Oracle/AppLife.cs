using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// One incarnation of an app as seen at its link, whatever binding it has: which records it was given, and which messages it sent as the how-manieth to
/// whom. The numbers survive it through its checkpoints.
/// </summary>
internal sealed class AppLife(SimOracle oracle, string instance, object coordinatorLife)
{
    private readonly Dictionary<ulong, string> _destinations = [];
    private Dictionary<string, int> _sent = [];
    private RecordInfo _record;
    private int _index;
    private int _impulses;

    public string Instance => instance;

    private SimOracle Oracle => oracle;

    /// <summary>Stands for the coordinator's process that this app is attached to.</summary>
    public object CoordinatorLife => coordinatorLife;

    public IStreamObserver FromCoordinator => new Incoming(this);

    public IStreamObserver FromApp => new Outgoing(this);

    /// <summary>The last record whose turns have all been announced as ended.</summary>
    public ulong DoneLsn { get; private set; }

    /// <summary>It has told its coordinator that it acts.</summary>
    public bool ActsAsPrimary { get; private set; }

    private void Sent(string to, ReadOnlySpan<byte> rpc)
    {
        int number = _sent[to] = _sent.GetValueOrDefault(to) + 1;
        oracle.Sent(instance, to, number, MessageIdentity.Of(rpc));
    }

    private void Restored(ulong checkpoint)
    {
        if (oracle.Find(instance, checkpoint) is { } saved)
        {
            (_sent, DoneLsn) = (new Dictionary<string, int>(saved.Sent), saved.Lsn);
        }
    }

    private void Executed(ReadOnlySpan<byte> rpc) => oracle.Executed(this, _record, _index++, rpc);

    private void TakeRun(ReadOnlySpan<byte> data, bool impulses)
    {
        var reader = new ByteReader(data);
        string to = _destinations[reader.ReadVarint("destination")];
        reader.ReadVarint("count");
        var scanner = new MessageScanner(reader.Rest);
        while (scanner.MoveNext())
        {
            if (impulses)
            {
                oracle.ImpulseSent(this, to, ++_impulses, scanner.Data);
            }
            else
            {
                Sent(to, scanner.Data);
            }
        }
    }

    private sealed class Incoming(AppLife life) : IStreamObserver
    {
        public void OnMessage(BindingMessageType type, ReadOnlySpan<byte> data)
        {
            switch (type)
            {
                case BindingMessageType.RecordInfo:
                    life._record = RecordInfo.Read(data);
                    life._index = 0;
                    life.Oracle.Delivered(life, life._record);
                    break;
                case BindingMessageType.Rpc:
                    life.Executed(data);
                    break;
                case BindingMessageType.CountReplayableRpcBatch:
                    var reader = new ByteReader(data);
                    reader.ReadZigZag("count");
                    reader.ReadZigZag("replayable");
                    var scanner = new MessageScanner(reader.Rest);
                    while (scanner.MoveNext())
                    {
                        life.Executed(scanner.Data);
                    }

                    break;
                default:
                    break;
            }
        }

        public void OnCheckpoint(ulong hash) => life.Restored(hash);
    }

    private sealed class Outgoing(AppLife life) : IStreamObserver
    {
        public void OnMessage(BindingMessageType type, ReadOnlySpan<byte> data)
        {
            switch (type)
            {
                case BindingMessageType.Destination:
                    DestinationName destination = DestinationName.Read(data);
                    life._destinations[destination.Index] = destination.Name.Length == 0 ? life.Instance : destination.Name;
                    break;
                case BindingMessageType.InitialMessage:
                    var scanner = new MessageScanner(data);
                    scanner.MoveNext();
                    life.Sent(life.Instance, scanner.Data);
                    break;
                case BindingMessageType.Outputs:
                    life.TakeRun(data, impulses: false);
                    break;
                case BindingMessageType.Impulses:
                    life.TakeRun(data, impulses: true);
                    break;
                case BindingMessageType.Progress:
                    Progress progress = Progress.Read(data);
                    life.DoneLsn = progress.RecordComplete ? progress.Lsn : life.DoneLsn;
                    break;
                case BindingMessageType.BecomingPrimary:
                    life.ActsAsPrimary = true;
                    break;
                default:
                    break;
            }
        }

        public void OnCheckpoint(ulong hash) => life.Oracle.Saved(life.Instance, hash, life._sent, life.DoneLsn);
    }
}
