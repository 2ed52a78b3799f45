using System.Runtime.ExceptionServices;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Link;
using Ambrosia.Runtime;
using Ambrosia.Sessions;
using Ambrosia.Testing.Virtual;
using Ambrosia.Upgrading;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Simulation.Tests;

/// <summary>A process with a <see cref="Walker"/> on the real C# binding.</summary>
internal sealed class WalkerApp(
    VirtualProcess process, AppLife life, ITransport transport, EndPointName address, SimWorld world, WalkerVersions? versions) : ISimApp
{
    private SynchronizationContext? _context;
    private Walker? _walker;
    private IConnection? _connection;

    public bool IsPrimary => !Ended && _walker is { IsPrimary: true };

    public bool IsIdle => IsPrimary && _walker!.Waiting == 0;

    public bool Ended { get; private set; }

    public string? Trouble { get; private set; }

    public string Refusal { get; private set; } = "";

    public AppLife Life => life;

    public void Vanish() => _connection!.Output.Complete();

    public async Task RunAsync()
    {
        _context = SynchronizationContext.Current;
        life.OutcomeGiven = world.Effects.IsOn ? Repeat : null;
        byte[] incarnation = new byte[16];
        process.Fill(incarnation);
        var host = new WalkerHost(
            life, world.Workload, world.Poison, world.Effects, world.Awakeables, Errands.RunAsync, Die, primary => _walker = primary);
        Walker walker = versions?.Create(host) ?? Walker.Of<Walker>(host);
        life.BecomesVersion(versions?.Goal ?? 1); // Unless it is given a state: a new binary may be the first that attaches.
        try
        {
            await using IConnection link =
                new TappedConnection(_connection = await transport.ConnectAsync(address, CancellationToken.None), life);
            AppSizes sizes = world.Settings.App;
            var settings = new SessionSettings
            {
                Logger = NullLogger.Instance, Time = process.Time, PageSize = sizes.PageSize, MaxQueuedBytes = sizes.MaxQueuedBytes,
                Upgrades = versions?.Settings(host), Effects = EffectsBy(incarnation),
            };
            string build = $"{world.Poison.BuildOf(life.Instance)}";
            var identity = new SessionIdentity(life.Instance, build, "sim", "", new Guid(incarnation));
            using var session = new ImmortalSession(walker, identity, settings);
            await session.RunAsync(link, CancellationToken.None);
        }
        catch (Exception) when (!process.Alive)
        {
            // Its handler ended it; what it does from there on nobody sees.
        }
        catch (BindingRefusedException refused) when (refused.Code == "IC-1036")
        {
            Refusal = refused.Code;
        }
        catch (Exception failed)
            when (versions is { Replaces: true } && failed is UpgradeFailedException or BindingRefusedException { Code: "IC-5004" })
        {
            // The version that serves goes on.
        }
        catch (Exception unknown)
            when (versions is { IsOld: true } && unknown is CheckpointException or BindingRefusedException { Code: "IC-5002" })
        {
            life.Listener.Sometimes(Sighting.OldBinaryLeft); // It says which class the state is of.
        }
        catch (Exception gone) when (gone is IOException or BindingRefusedException { Code: "IC-1031" })
        {
            // The coordinator has gone, is not there yet, or has not noticed yet that the app before is gone.
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Trouble = $"the app of {life.Instance} failed: {ExceptionDispatchInfo.Capture(error).SourceException}";
        }
        finally
        {
            Ended = true;
        }
    }

    public void SendImpulse(string to, ulong id, int depth)
    {
        if (IsPrimary)
        {
            _context!.Post(_ => _ = SendAsync(to, id, depth), null);
        }
    }

    private EffectSettings EffectsBy(byte[] incarnation)
    {
        var outside = new SimOutside(world.Effects, life, world.Limits.MaxMessageSize, DieOfEffect);
        var performers = new Dictionary<Type, Func<IServiceProvider, object>> { [typeof(IOutside)] = _ => outside };
        return new EffectSettings
        {
            Performers = new EffectPerformers(performers, null, process.Time, NullLogger.Instance), AtOnce = world.Effects.AtOnce,
            Drain = world.Effects.Drain, Life = BitConverter.ToUInt64(incarnation) | 1,
        };
    }

    private void Repeat(byte[] outcome)
    {
        if (IsPrimary && world.Effects.DrawRepetition())
        {
            _context!.Post(_ => SendAgain(outcome), null);
        }
    }

    private void SendAgain(byte[] outcome)
    {
        if (!IsPrimary)
        {
            return;
        }

        try
        {
            _ = _walker!.Runtime.Writer.SubmitImpulse(_walker.Runtime.Self, outcome, always: true);
        }
        catch (LinkClosedException)
        {
            // The app ends meanwhile.
        }
    }

    // Where messages kill, an effect does it as they do. Elsewhere nobody is there to decide about a message that is suspected instead.
    private void DieOfEffect()
    {
        if (world.Poison.IsOn)
        {
            Die();
        }
        else
        {
            process.Kill();
        }
    }

    private void Die()
    {
        life.Deafen();
        process.Die(6, "poison");
    }

    private async Task SendAsync(string to, ulong id, int depth)
    {
        if (!IsPrimary)
        {
            return;
        }

        try
        {
            await _walker!.PokeAsync(to, id, depth);
        }
        catch (Exception error) when (error is IOException or ImpulseOutcomeUnknownException)
        {
            // The app ends meanwhile: whether the impulse counts is for the log to say.
        }
    }
}
