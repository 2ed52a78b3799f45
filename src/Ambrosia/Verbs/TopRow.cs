using System.Globalization;
using System.Text.Json.Serialization;
using Ambrosia.Coordinator.Operations;

namespace Ambrosia.Cli.Verbs;

/// <summary>One instance between two looks at it.</summary>
internal sealed record TopRow
{
    public required string Instance { get; init; }

    /// <summary>What it says it is doing; "stopped", or "no answer" when nobody answers at its admin address.</summary>
    public required string Role { get; init; }

    /// <summary>Whether it was asked; without an answer there are no figures.</summary>
    public required bool Answers { get; init; }

    public ulong Epoch { get; init; }

    public ulong DurableLsn { get; init; }

    public ulong AppLsn { get; init; }

    public long LagBytes { get; init; }

    /// <summary>Messages delivered to the app, per second.</summary>
    public double DeliveredPerSecond { get; init; }

    /// <summary>Bytes logged per second.</summary>
    public double LoggedPerSecond { get; init; }

    /// <summary>Messages sent per second.</summary>
    public double SentPerSecond { get; init; }

    /// <summary>Bytes that wait for their destinations.</summary>
    public long WaitingBytes { get; init; }

    public ulong CheckpointLsn { get; init; }

    public double RecoverySeconds { get; init; }

    [JsonIgnore]
    public string[] Cells => !Answers ? [Instance, Role, .. Enumerable.Repeat("-", 10)] :
    [
        Instance, Role, Text(Epoch), Text(DurableLsn), Text(AppLsn), Bytes(LagBytes), Text(DeliveredPerSecond), Bytes(LoggedPerSecond),
        Text(SentPerSecond), Bytes(WaitingBytes),
        Text(CheckpointLsn), string.Create(CultureInfo.InvariantCulture, $"{RecoverySeconds:0.00} s"),
    ];

    public static TopRow Of(string instance, CoordinatorStatus? before, TopLook look, TimeSpan between)
    {
        if (look.Status is not { } now)
        {
            return new TopRow { Instance = instance, Role = look.Silence, Answers = false };
        }

        return new TopRow
        {
            Instance = instance, Answers = true, Role = now.Ready ? now.Role : $"{now.Role}: {now.NotReadyReason}",
            Epoch = now.Epoch, DurableLsn = now.Log.DurableLsn, AppLsn = now.App.Lsn,
            LagBytes = now.App.LagBytes,
            DeliveredPerSecond = Rate(before?.Totals.MessagesDelivered, now.Totals.MessagesDelivered, between),
            LoggedPerSecond = Rate(before?.Totals.BytesLogged, now.Totals.BytesLogged, between),
            SentPerSecond = Rate(before?.Totals.MessagesSent, now.Totals.MessagesSent, between),
            WaitingBytes = now.Outputs.Sum(static output => output.BufferedBytes + output.SpilledBytes),
            CheckpointLsn = now.Checkpoints.NewestLsn, RecoverySeconds = now.RecoverySeconds,
        };
    }

    // A counter that went down belongs to a process that was started anew between the looks.
    private static double Rate(long? before, long now, TimeSpan between) =>
        between <= TimeSpan.Zero || before is null ? 0 : Math.Round(Math.Max(0, now - before.Value) / between.TotalSeconds);

    private static string Text<T>(T value)
        where T : IFormattable => value.ToString(null, CultureInfo.InvariantCulture);

    private static string Bytes(double bytes) => bytes switch
    {
        >= 1 << 30 => string.Create(CultureInfo.InvariantCulture, $"{bytes / (1 << 30):0.0} GiB"),
        >= 1 << 20 => string.Create(CultureInfo.InvariantCulture, $"{bytes / (1 << 20):0.0} MiB"),
        >= 1 << 10 => string.Create(CultureInfo.InvariantCulture, $"{bytes / (1 << 10):0.0} KiB"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{bytes:0} B"),
    };
}
