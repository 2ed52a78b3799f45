using System.Buffers;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Threading;
using Ambrosia.Testing.Virtual;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Simulation.Tests;

/// <summary>One process of the sender: the real output buffer and the real link, which brings all messages of its identity forth again, as
/// a replay does.</summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage("Design", "CA1001", Justification = "A killed process disposes nothing.")]
internal sealed class RemadeProcess : IPeerFailures
{
    private readonly SimWorld _world;
    private readonly RemadeIdentity _identity;
    private readonly VirtualProcess _process;
    private readonly WakeSignal _work = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly OutputBuffer _buffer;
    private readonly PeerOutputLink _link;
    private readonly PeerSettings _settings;
    private readonly ulong _epoch;
    private int _appended;

    /// <summary>A process that runs at once.</summary>
    public RemadeProcess(SimWorld world, RemadeIdentity identity, string destination, string host)
    {
        (_world, _identity, Host) = (world, identity, host);
        _epoch = ++identity.Epoch;
        _process = new VirtualProcess(world.Loop, new MemoryFileSystem());
        _process.Killed = () => world.Network.Kill(host);
        _settings = new PeerSettings("default", RemadeSender.Name, identity.Id, _epoch, 1 << 24, TimeSpan.FromSeconds(1), _process.Time,
            NullLogger.Instance);
        _buffer = new OutputBuffer(destination, new OutputMemory(1 << 20),
            new SpillFile(_process.Files!, "/scratch", destination, new SpillBudget(1 << 30)));
        var catalog = new LateCatalog(new FileCatalog(world.CatalogDisk, "/catalog", _process.Time), world.Remade, world.Report,
            _process.Time);
        _link = new PeerOutputLink(
            _buffer, _settings, world.Network.Node(host), catalog,
            new ReconnectPolicy(_process.Time, world.Remade.Random.NextDouble, _stop.Token), this);
        _ = _process.Start(host, RunAsync);
    }

    public string Host { get; }

    /// <summary>Everything it has was confirmed.</summary>
    public bool IsIdle => _appended == _identity.Messages.Count && _buffer.IsEmpty;

    public string Describe() =>
        $"{Host}: {_identity.Name} in epoch {_epoch}, {_appended} of {_identity.Messages.Count} sent, trimmed {_buffer.Trimmed}, "
        + $"{_link.Trouble}";

    /// <summary>There is something new to send.</summary>
    public void Wake() => _process.Post(_work.Set);

    public void Kill() => _process.Kill();

    public void Pause() => _process.Pause();

    public void Resume() => _process.Resume();

    void IPeerFailures.Accused(string destination, string evidence) => Newest(false, $"was fenced: {evidence}");

    void IPeerFailures.LogOlderThanPeerKnows(string destination, ulong has, ulong confirmed) =>
        Newest(false, $"was asked for message {has + 1}, and {confirmed} had been confirmed");

    bool IPeerFailures.MayFollow(OutputBuffer buffer, ulong replayable)
    {
        bool follows = replayable <= (ulong)_identity.Messages.Count;
        Newest(follows, $"was told of message {replayable}, and has sent {_identity.Messages.Count}");
        return follows;
    }

    void IPeerFailures.Answered(OutputBuffer buffer) => buffer.Named();

    void IPeerFailures.Trimmed(OutputBuffer buffer)
    {
    }

    /// <summary>What others may hold against a process that was replaced must not happen to the newest one.</summary>
    private void Newest(bool condition, string violation)
    {
        if (_epoch == _identity.Epoch && _world.Remade.Newest == _identity)
        {
            _world.Oracle.Require(condition, $"{_identity.Name} in epoch {_epoch} {violation}");
        }
    }

    private async Task RunAsync()
    {
        try
        {
            await _process.Files!.CreateFolderAsync("/scratch");
            await SendAsync();
        }
        catch (Exception error) when (error is not OutOfMemoryException && _process.Alive)
        {
            _world.Oracle.Require(false, $"{_identity.Name}: {error}");
        }
    }

    private async Task SendAsync()
    {
        Task link = _link.RunAsync();
        Task beats = new Heartbeats(_settings, static () => [], [_link], static () => { }).RunAsync(_stop.Token);
        while (_process.Alive)
        {
            while (_appended < _identity.Messages.Count)
            {
                await _buffer.AppendAsync(new ReadOnlySequence<byte>(_identity.Messages[_appended++]), 1);
            }

            await _work.WaitAsync();
        }

        await Task.WhenAll(link, beats);
    }
}
