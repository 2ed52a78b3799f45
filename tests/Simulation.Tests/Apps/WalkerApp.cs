using System.Runtime.ExceptionServices;
using Ambrosia.ImmortalCoordinator.Transport;
using Ambrosia.Link;
using Ambrosia.Runtime;
using Ambrosia.Testing.Virtual;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Simulation.Tests;

/// <summary>A process with a <see cref="Walker"/> on the real C# binding.</summary>
internal sealed class WalkerApp(VirtualProcess process, AppLife life, ITransport transport, EndPointName address, Workload workload, SimOracle oracle, AppSizes sizes) : ISimApp
{
    private SynchronizationContext? _context;
    private Walker? _walker;

    public bool IsPrimary => !Ended && _walker is { IsPrimary: true };

    public bool IsIdle => IsPrimary && _walker!.Waiting == 0;

    public bool Ended { get; private set; }

    public string? Trouble { get; private set; }

    public AppLife Life => life;

    public async Task RunAsync()
    {
        _context = SynchronizationContext.Current;
        byte[] incarnation = new byte[16];
        process.Fill(incarnation);
        var walker = Walker.Of(new WalkerHost(life.Instance, workload, oracle, primary => _walker = primary));
        try
        {
            await using IConnection link = new TappedConnection(await transport.ConnectAsync(address, CancellationToken.None), life);
            var settings = new RuntimeSettings { Logger = NullLogger.Instance, Time = process.Time, PageSize = sizes.PageSize, MaxQueuedBytes = sizes.MaxQueuedBytes };
            using var session = new ImmortalSession(walker, new SessionIdentity(life.Instance, "1", "sim", "", new Guid(incarnation)), settings);
            await session.RunAsync(link, CancellationToken.None);
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
