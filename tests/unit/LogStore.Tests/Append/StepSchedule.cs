using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.LogStore.Tests.Append;

/// <summary>Runs several actors so that exactly one moves at a time, and draws from a seed who does the next step.</summary>
internal sealed class StepSchedule(int seed) : IPageProbe, IDisposable
{
    private readonly Random _random = new(seed);
    private readonly SemaphoreSlim _stepDone = new(0);
    private readonly ThreadLocal<int> _self = new();
    private SemaphoreSlim[] _turns = [];
    private bool[] _ended = [];

    /// <summary>Called with the actor that handed the page over.</summary>
    public Action<int>? OnHandOver { get; set; }

    /// <summary>How often another actor moved than the one before.</summary>
    public int Switches { get; private set; }

    public void Run(params Action[] actors)
    {
        _turns = [.. actors.Select(_ => new SemaphoreSlim(0))];
        _ended = new bool[actors.Length];
        Exception? failure = null;
        Thread[] threads = [.. actors.Select((actor, index) => new Thread(() =>
        {
            _self.Value = index;
            _turns[index].Wait();
            try
            {
                actor();
            }
            catch (Exception error)
            {
                failure = error;
            }

            _ended[index] = true;
            _stepDone.Release();
        }))];
        Array.ForEach(threads, thread => thread.Start());
        int last = -1;
        while (!_ended.All(ended => ended))
        {
            int[] able = [.. Enumerable.Range(0, actors.Length).Where(index => !_ended[index])];
            int next = able[_random.Next(able.Length)];
            Switches += next != last ? 1 : 0;
            last = next;
            _turns[next].Release();
            _stepDone.Wait();
        }

        Array.ForEach(threads, thread => thread.Join());
        Assert.True(failure is null, $"seed {seed}: {failure}");
    }

    public void BeforeStep()
    {
        _stepDone.Release();
        _turns[_self.Value].Wait();
    }

    public void BeforeLock(object gate) => BeforeStep(); // These actors share a page and no lock.

    public void HandedOver() => OnHandOver?.Invoke(_self.Value);

    public void Dispose()
    {
        _stepDone.Dispose();
        _self.Dispose();
        Array.ForEach(_turns, turn => turn.Dispose());
    }
}
