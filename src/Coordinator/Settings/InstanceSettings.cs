using Ambrosia.Coordinator.Transport;


namespace Ambrosia.Coordinator.Settings;

/// <summary>What the coordinator of one instance is told, whatever runs it. The daemon has an option of the same name for each.</summary>
public class InstanceSettings
{
    /// <summary>Name of the immortal: 1 to 63 letters, digits, '.', '_' or '-'. Required.</summary>
    public string InstanceName { get; set; } = "";

    /// <summary>
    /// Where log and checkpoints are: <c>file:/folder</c> (one folder per instance below it), <c>postgres://user@host/database</c>,
    /// <c>azblob://account.blob.core.windows.net/container</c> or <c>memory:</c>. Default <c>file:$AMBROSIA_HOME/instances</c>.
    /// </summary>
    public string Store { get; set; } = "";

    /// <summary>Name of the cluster; instances of different clusters refuse each other. Default <c>default</c>.</summary>
    public string Cluster { get; set; } = "default";

    /// <summary>
    /// Number of this replica, from 0, when several share the store: a process that finds the instance served follows its log and is
    /// promoted when its primary ends. Default: none, the only one.
    /// </summary>
    public int? ReplicaId { get; set; }

    /// <summary>
    /// How long a primary may show no sign of life before a secondary on the same machine ends its process and is promoted; zero: never. A
    /// process that was stopped keeps its lock for ever. Default 10 s.
    /// </summary>
    public TimeSpan TakeoverAfter { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Ask the primary to hand over instead of waiting for its end; for one start, not a setting. Default false.</summary>
    public bool TakeOver { get; set; }

    /// <summary>
    /// Where other coordinators connect to. Default <c>tcp:127.0.0.1:0</c>: any free port of this machine, published through the catalog.
    /// </summary>
    public EndPointName PeerAddress { get; set; } = EndPointName.Tcp("127.0.0.1", 0);

    /// <summary>
    /// Address to publish instead of the one listened on, for instance the host's name; port 0 publishes the port listened on. Default:
    /// the address listened on.
    /// </summary>
    public EndPointName? Advertise { get; set; }

    /// <summary>Instances that may send to this one. Default: all.</summary>
    public PeerAllowList AllowPeers { get; set; } = PeerAllowList.Everybody;

    /// <summary>
    /// Unix socket on which the app attaches. Default <c>$XDG_RUNTIME_DIR/ambrosia/&lt;hash of store and instance&gt;.sock</c>, else in a
    /// folder of this user below the temporary folder.
    /// </summary>
    public EndPointName? BindingSocket { get; set; }

    /// <summary>Loopback address on which the app attaches, instead of a Unix socket; then it must show the token. Default: none.</summary>
    public EndPointName? BindingAddress { get; set; }

    /// <summary>
    /// Loopback port that a binding of AMBROSIA's published protocol sends to; goes with <see cref="SendPort"/>. Default: none.
    /// </summary>
    public int? ReceivePort { get; set; }

    /// <summary>
    /// Loopback port that a binding of AMBROSIA's published protocol receives from; goes with <see cref="ReceivePort"/>. Default: none.
    /// </summary>
    public int? SendPort { get; set; }

    /// <summary>
    /// Version to which the state of an app at <see cref="SendPort"/> is to be converted, in words that only the log keeps. The app is
    /// asked once, before it acts, unless the log says that its state is of this version. Default: none.
    /// </summary>
    public string LegacyUpgradeTo { get; set; } = "";

    /// <summary>Bytes of one log file. Default 64 MiB.</summary>
    public long SegmentSize { get; set; } = 64L << 20;

    /// <summary>Bytes of one page of the log: the largest group commit. Default 1 MiB.</summary>
    public int PageSize { get; set; } = 1 << 20;

    /// <summary>Bytes of log that the app may be behind before senders are slowed. Default 4 GiB.</summary>
    public long MaxLag { get; set; } = 4L << 30;

    /// <summary>
    /// Bytes of output to unreachable or slow destinations that may be spilled to disk before the app is slowed. Default 4 GiB.
    /// </summary>
    public long MaxSpill { get; set; } = 4L << 30;

    /// <summary>
    /// How long a destination may be away, while the app waits because it has used up its share of <see cref="MaxSpill"/>, before what
    /// waits for it is dropped. Default: zero, it is waited for without end.
    /// </summary>
    public TimeSpan DropOutputsAfter { get; set; }

    /// <summary>Folder of the outputs that were dropped. Default: <c>dropped</c> in the instance's folder.</summary>
    public string DroppedOutputs { get; set; } = "";

    /// <summary>
    /// Bytes of messages held in memory, inputs that wait for the app and outputs that wait for their destinations each; beyond it log and
    /// scratch file are used. Default 64 MiB.
    /// </summary>
    public long MaxBuffered { get; set; } = 64L << 20;

    /// <summary>Bytes of the largest message. Default 64 MiB.</summary>
    public int MaxMessageSize { get; set; } = 64 << 20;

    /// <summary>Bytes that the handler of one message may send in all. Default 256 MiB.</summary>
    public int MaxTurnBytes { get; set; } = 256 << 20;

    /// <summary>Bytes of log after which a checkpoint is taken. Default: the segment size.</summary>
    public long CheckpointEvery { get; set; }

    /// <summary>
    /// Bytes per second that a checkpointer writes at most, for the sake of the processes that share processors and disk with it. Default
    /// 0: as fast as it can. A primary never holds back.
    /// </summary>
    public long CheckpointRate { get; set; }

    /// <summary>What is kept of old checkpoints and their log. Default <c>count:2</c>.</summary>
    public RetainOption Retain { get; set; } = RetainOption.Default;

    /// <summary>Whether the instance must be new, must exist, or either. Default <see cref="StartMode.Auto"/>.</summary>
    public StartMode Start { get; set; }

    /// <summary>
    /// Folder for output that waits for its destinations and does not fit into memory. Default: <c>scratch</c> in the instance's folder;
    /// <c>$AMBROSIA_HOME/scratch/&lt;instance&gt;</c> for a store that is no folder.
    /// </summary>
    public string Scratch { get; set; } = "";

    /// <summary>
    /// Time after which a store that is a service gives the right to append to another, unless it is renewed; it is, at a third of it.
    /// Default 15 s.
    /// </summary>
    public TimeSpan LeaseDuration { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>What to do when the app ends. Default <see cref="AppExitPolicy.Wait"/>.</summary>
    public AppExitPolicy OnAppExit { get; set; } = AppExitPolicy.Wait;

    /// <summary>
    /// What to do when a replay sends other contents than the first time. Default <see cref="ContentDivergencePolicy.Warn"/>.
    /// </summary>
    public ContentDivergencePolicy OnContentDivergence { get; set; }

    /// <summary>Time that the app may spend in one turn before the message is named in log, status and metrics. Default 30 s.</summary>
    public TimeSpan Watchdog { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Time after which an app that is still in the same turn is ended; that counts as its own death. Default: none.</summary>
    public TimeSpan HandlerDeadline { get; set; }

    /// <summary>
    /// Deaths of the app running in one message after which that message is quarantined without asking anybody; 0: never, the instance is
    /// put on hold after three. Default 0.
    /// </summary>
    public int QuarantineAfter { get; set; }

    /// <summary>Start although the store lies on a network file system, whose locks may not exclude. Default false.</summary>
    public bool AllowNetworkFilesystem { get; set; }

    /// <summary>Time between signs of life on a connection; three missing ones end it. Default 1 s.</summary>
    public TimeSpan Heartbeat { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How long the app and the log may take to finish after a request to stop. Default 10 s.</summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long the checkpoint may take that a clean stop of app or coordinator ends with, if messages were executed since the last one;
    /// zero for none. Default 10 s.
    /// </summary>
    public TimeSpan CheckpointOnStop { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long an app that is to take another's place waits for calls that only the old version can finish, for the old app's turn and
    /// for its own conversion. Default 30 s.
    /// </summary>
    public TimeSpan UpgradeWait { get; set; } = TimeSpan.FromSeconds(30);
}
