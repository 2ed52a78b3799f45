using Ambrosia.LogStore.Catalog;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// A sender beside the instances that is killed, started again, erased and made again under its name, while processes that it has replaced
/// may go on for a time (docs/internals/exactly-once.md H16). Each of its
/// identities counts from one: nothing of any may be executed twice, nothing of an erased one after its successor, and everything of the
/// last one.
/// </summary>
internal sealed class RemadeSender
{
    /// <summary>Its name, which no instance of a cluster has.</summary>
    public const string Name = "Z";

    private const int MostZombies = 3;
    private static readonly WalkerMethods s_methods = WalkerMethods.Find();
    private readonly SimWorld _world;
    private readonly SimNode _destination;
    private readonly ScriptedMessages _messages;
    private readonly List<RemadeProcess> _zombies = [];
    private RemadeIdentity _identity;
    private RemadeProcess _process;
    private int _lives;

    public RemadeSender(SimWorld world, SimNode destination)
    {
        (_world, _destination) = (world, destination);
        _messages = new ScriptedMessages(world.Workload);
        _identity = Make(1);
        _process = Start();
    }

    private Random Random => _world.Remade.Random;

    public bool IsIdle => _process.IsIdle;

    public string Describe() => _process.Describe();

    /// <summary>Something may happen to it.</summary>
    public void Step()
    {
        if (Random.NextDouble() >= _world.Remade.Rate)
        {
            return;
        }

        switch (Random.Next(6))
        {
            case 0 or 1 or 2:
                Send(Random.Next(1, 5));
                break;
            case 3:
                Replace();
                break;
            case 4 when _zombies.Count > 0:
                End(Random.Next(_zombies.Count));
                break;
            default:
                _process.Pause();
                RemadeProcess paused = _process;
                _world.Remade.Pauses.Add((_world.Loop.Now + TimeSpan.FromMilliseconds(Random.Next(3000)).Ticks, paused));
                break;
        }

        Wake();
    }

    /// <summary>From here on nothing happens to it, and nothing of what it was goes on.</summary>
    public void Heal()
    {
        _world.Remade.Healed = true;
        while (_zombies.Count > 0)
        {
            End(0);
        }

        _process.Resume();
        Send(2);
    }

    public void Kill()
    {
        _zombies.ForEach(static zombie => zombie.Kill());
        _process.Kill();
    }

    private void Wake()
    {
        foreach ((long due, RemadeProcess paused) in _world.Remade.Pauses.Where(pause => pause.Due <= _world.Loop.Now))
        {
            paused.Resume();
        }

        _world.Remade.Pauses.RemoveAll(pause => pause.Due <= _world.Loop.Now);
    }

    private void Send(int count)
    {
        for (int i = 0; i < count; i++)
        {
            ulong id = Bits.Mix(0x2E4A_DE00 + (ulong)_identity.Number, (ulong)_identity.Messages.Count);
            byte[] message = _messages.Call(s_methods.Walk, RpcKind.Fork, id, depth: 0);
            var scanner = new MessageScanner(message);
            scanner.MoveNext();
            _world.Oracle.Sent(_identity.Name, _destination.Name, _identity.Messages.Count + 1, MessageIdentity.Of(scanner.Data), default);
            _identity.Messages.Add(message);
        }

        _process.Wake();
    }

    /// <summary>Another process comes in its place, of the same identity or of a new one.</summary>
    private void Replace()
    {
        if (_zombies.Count < MostZombies && Random.Next(_world.Remade.ZombieOneIn) == 0)
        {
            _zombies.Add(_process);
        }
        else
        {
            _process.Kill();
        }

        if (Random.Next(_world.Remade.ErasedOneIn) == 0)
        {
            _world.Report.Sometimes(Sighting.SenderRemade);
            RemadeIdentity erased = _identity;
            _identity = Make(erased.Number + 1);
            _world.Oracle.Erased(erased.Name, _identity.Name);
        }

        _process = Start();
    }

    private RemadeProcess Start() => new(_world, _identity, _destination.Name, $"{Name}-{++_lives}");

    private RemadeIdentity Make(int number)
    {
        byte[] bytes = new byte[16];
        Random.NextBytes(bytes);
        var identity = new RemadeIdentity(number, new Guid(bytes));
        _world.Remade.Newest = identity;
        Register(identity);
        _world.Print?.Invoke($"{identity.Name}: --- made, identity {identity.Id:N}");
        return identity;
    }

    // The catalog's own disk answers at once.
    private void Register(RemadeIdentity identity)
    {
        var catalog = new FileCatalog(_world.CatalogDisk, "/catalog", TimeProvider.System);
        CatalogRow? present = catalog.GetAsync(Name).AsTask().GetAwaiter().GetResult();
        var entry = new CatalogEntry
            { Instance = Name, PeerAddress = "127.0.0.1:1", InstanceId = identity.Id.ToString("N"), Generation = (ulong)identity.Number };
        string? written = catalog.PutAsync(entry, present?.Version).AsTask().GetAwaiter().GetResult();
        _world.Oracle.Require(written is not null, $"{identity.Name} could not be registered");
    }

    private void End(int zombie)
    {
        _zombies[zombie].Kill();
        _zombies.RemoveAt(zombie);
    }
}
