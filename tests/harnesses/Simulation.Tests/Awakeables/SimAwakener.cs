using System.Buffers;
using System.Globalization;
using System.Text;
using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;
using Ambrosia.Serialization;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Somebody outside who was given awakeables, and completes them: with one thing or another, again and again, until there is a last word.
/// It tries names that it was not given, too.
/// </summary>
internal sealed class SimAwakener(SimWorld world, List<SimNode> nodes)
{
    private const int Most = 8;
    private const int Rejecting = 2;
    private static readonly AwakeableKey s_guess = new(new byte[AwakeableKey.SecretSize], "");
    private readonly VirtualProcess _process = new(world.Loop, null);
    private int _asking;
    private int _looked;
    private bool _isHealed;

    /// <summary>Has the last word on everything.</summary>
    public bool IsIdle => _asking == 0;

    private AwakeablePlan Plan => world.Awakeables;

    private AwakeableWatch Watch => world.Oracle.Outside.Awakeables;

    /// <summary>Nothing goes wrong any more: what is open is completed.</summary>
    public void Heal() => _isHealed = true;

    /// <summary>Completes one, unless there are enough.</summary>
    public void Begin()
    {
        if (_asking < Most && Watch.All.Count > 0)
        {
            // Mostly a late one: early ones are over.
            AwakeableErrand errand = Watch.All[Math.Max(Plan.Random.Next(Watch.All.Count), Plan.Random.Next(Watch.All.Count))];
            Ask(errand, Plan.Random.Next(Rejecting + 1));
        }
    }

    /// <summary>Once all is healed, whatever is open is completed.</summary>
    public void Look()
    {
        for (; _isHealed && _looked < Watch.All.Count; _looked++)
        {
            Ask(Watch.All[_looked], Plan.Random.Next(Rejecting + 1));
        }
    }

    public string Describe() => $"awakener asks for {_asking} awakeables";

    private void Ask(AwakeableErrand errand, int number)
    {
        _asking++;
        _ = _process.Start("awakener", () => AskOnAsync(errand, number));
    }

    private async Task AskOnAsync(AwakeableErrand errand, int number)
    {
        SimNode node = nodes.Find(each => each.Name == errand.Instance)!;
        ulong value = errand.Value(number);
        errand.Sent.Add(value);
        try
        {
            while (true)
            {
                OutsideReply? reply = await TryAsync(node, errand, value, number == Rejecting);
                if (reply is { } told && Watch.Told(errand, value, told))
                {
                    break;
                }

                await Task.Delay(world.Callers.DrawPause(), _process.Time);
            }
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            world.Oracle.Require(false, $"the awakener failed: {error}");
        }

        _asking--;
    }

    private async Task<OutsideReply?> TryAsync(SimNode node, AwakeableErrand errand, ulong value, bool rejects)
    {
        SimReplica? replica = Plan.Random.Next(6) == 0 ? node.Pick(Plan.Random) : node.Acting;
        if (replica is not { CoordinatorAlive: true, Core: { } core } || !AwakeableId.TryParse(errand.Text, out AwakeableId id))
        {
            return null;
        }

        if (Plan.Random.Next(6) == 0)
        {
            Watch.ToldOfForged(node.Name, await ForgeAsync(core, id));
        }

        using var patience = new CancellationTokenSource(world.Callers.DrawPatience(), _process.Time);
        try
        {
            return await core.Awakeables.CompleteAsync(
                id, rejects ? AwakeableForm.Rejection : AwakeableForm.Value, rejects ? Text(value) : Pack(value), value, patience.Token);
        }
        catch (OperationCanceledException)
        {
            return null;
        }
    }

    // Who has read how names are made, and knows no secret.
    private async Task<OutsideReply> ForgeAsync(ImmortalCore core, AwakeableId id)
    {
        ulong foreign = Bits.Mix((ulong)id.Number, 0xF0_4CED);
        using var patience = new CancellationTokenSource(world.Callers.DrawPatience(), _process.Time);
        try
        {
            var forged = AwakeableId.Make(s_guess, Guid.Empty, id.Number, id.Type);
            return await core.Awakeables.CompleteAsync(forged, AwakeableForm.Value, Pack(foreign), foreign, patience.Token);
        }
        catch (OperationCanceledException)
        {
            return new OutsideReply(OutsideReplyKind.Accepted); // It went further than it may.
        }
    }

    private static byte[] Text(ulong value) => Encoding.UTF8.GetBytes(value.ToString(CultureInfo.InvariantCulture));

    private static byte[] Pack(ulong value)
    {
        var bytes = new ArrayBufferWriter<byte>();
        var writer = new MessagePackWriter(bytes);
        writer.WriteUInt64(value);
        writer.Flush();
        return bytes.WrittenSpan.ToArray();
    }
}
