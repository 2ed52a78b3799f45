namespace Ambrosia.Protocol;

/// <summary>
/// Types of messages between coordinator and binding. Below 64: AMBROSIA's published client protocol; from 64 up: version 2.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum BindingMessageType : byte
{
    /// <summary>One RPC: call or reply.</summary>
    Rpc = 0,

    /// <summary>The binding names a destination before it sends to it (accepted and not needed).</summary>
    AttachTo = 1,

    /// <summary>To the binding: serialize your state now. From the binding: please ask me to.</summary>
    TakeCheckpoint = 2,

    /// <summary>Count, then that many RPC messages.</summary>
    RpcBatch = 5,

    /// <summary>
    /// Published protocol: destination, anything, and five numbers of 64 bits, the first of which the receiver sets to the time.
    /// </summary>
    Ping = 6,

    /// <summary>Published protocol: answer to a ping.</summary>
    PingReturn = 7,

    /// <summary>Size (zig-zag, 64 bits); that many raw bytes follow outside the message.</summary>
    Checkpoint = 8,

    /// <summary>The first message the app will ever receive, given by the app itself at its first start.</summary>
    InitialMessage = 9,

    /// <summary>Convert your state to the new version and checkpoint it.</summary>
    UpgradeTakeCheckpoint = 10,

    /// <summary>You are, or become, the primary; checkpoint now.</summary>
    TakeBecomingPrimaryCheckpoint = 11,

    /// <summary>Convert your state to the new version (what-if test).</summary>
    UpgradeService = 12,

    /// <summary>Count, replayable count, then the RPC messages.</summary>
    CountReplayableRpcBatch = 13,

    /// <summary>Between coordinators of the original only.</summary>
    TrimTo = 14,

    /// <summary>You are the primary from here on. Version 2: sent back once consumed.</summary>
    BecomingPrimary = 15,

    /// <summary>Version 2: opens the connection.</summary>
    Hello = 64,

    /// <summary>Version 2: the connection is accepted.</summary>
    Welcome = 65,

    /// <summary>Version 2: the connection is refused, with a reason.</summary>
    Refused = 66,

    /// <summary>Version 2: the messages that follow are this record's.</summary>
    RecordInfo = 67,

    /// <summary>Version 2: replayable messages to one destination.</summary>
    Outputs = 68,

    /// <summary>Version 2: gives a destination a number for this connection.</summary>
    Destination = 69,

    /// <summary>Version 2: turns up to here have ended; their outputs may go.</summary>
    Progress = 70,

    /// <summary>Version 2: a handler threw.</summary>
    HandlerFault = 71,

    /// <summary>Version 2: send your state as JSON.</summary>
    StateRequest = 72,

    /// <summary>Version 2: the state as JSON.</summary>
    StateReply = 73,

    /// <summary>Version 2: a read-only query, never logged.</summary>
    Query = 74,

    /// <summary>Version 2: answer to a query.</summary>
    QueryReply = 75,

    /// <summary>Version 2: impulses to one destination.</summary>
    Impulses = 76,

    /// <summary>Version 2: finish the turn and leave. From the binding: it wants to leave, and waits for Goodbye.</summary>
    Drain = 77,

    /// <summary>Version 2: the binding leaves. To the binding: it may leave.</summary>
    Goodbye = 78,

    /// <summary>Version 2: still here.</summary>
    Heartbeat = 79,

    /// <summary>Version 2: a quarantined message; answer its caller, do not execute it.</summary>
    Skip = 80,

    /// <summary>Version 2: a turn begins, in a record sent in steps, or has been running for a while.</summary>
    TurnRunning = 81,

    /// <summary>Version 2: the next record is sent in pieces, of which this is one.</summary>
    Part = 82,

    /// <summary>Version 2: which version of its state the app holds, and which it wants.</summary>
    StateVersion = 83,

    /// <summary>Version 2: the app did not convert its state.</summary>
    UpgradeFailed = 84,

    /// <summary>Version 2: another app has taken this one's place; leave.</summary>
    Replaced = 85,

    /// <summary>Version 2: in place of a checkpoint that was asked for: the state cannot be saved now.</summary>
    CheckpointDeclined = 86,

    /// <summary>Version 2: the limits that a handler can see, from the next record on.</summary>
    Limits = 87,

    /// <summary>Version 2: whether the app is of the build that saved the checkpoint it has loaded.</summary>
    BuildCompared = 90,

    /// <summary>Version 2: what the app answers to, for people.</summary>
    Contract = 91,

    /// <summary>Version 2: how the app's effects stand, for people.</summary>
    Effects = 92,

    /// <summary>Version 2: an effect that a turn asked for, told to a replay.</summary>
    EffectAsked = 93,

    /// <summary>Version 2: how the app's schedules and compensations stand, for people.</summary>
    Routines = 94,

    /// <summary>Version 2: what the app's methods take and return, for machines.</summary>
    Shapes = 95,

    /// <summary>Version 2: by what awakeables are named, from the next record on.</summary>
    Awakeables = 96,
}
