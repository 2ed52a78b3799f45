using System.Collections;

namespace Ambrosia.DurableScenarios;

// The small types that the scenarios keep in locals stand together, since each is only read with them.
public readonly record struct Point(int X, int Y)
{
    public string? Tag { get; init; }
}

public readonly struct Size(int width, int height)
{
    public int Width { get; } = width;

    public int Height { get; } = height;
}

public record Person(string Name, int Age)
{
    public Person? Friend { get; init; }

    public override string ToString() => $"{Name} {Age}";
}

public interface IShape
{
    int Area { get; }
}

public sealed class Square(int side) : IShape
{
    public int Area => side * side;
}

public sealed class Node(int value, Node next)
{
    public int Value { get; } = value;

    public Node Next { get; set; } = next;
}

public sealed class BankException(int code, Account account) : Exception($"bank says {code}")
{
    public int Code { get; } = code;

    public Account Account { get; } = account;
}

public sealed class Holder<TOne, TTwo>(Scenarios scenarios)
{
    public async DurableTask<string> Swap(TOne one, TTwo two)
    {
        TOne kept = one;
        await scenarios.Pause();
        (TTwo, TOne) swapped = (two, kept);
        await scenarios.Pause();
        return $"{swapped}";
    }
}

public class Base(Scenarios scenarios)
{
    protected Scenarios Scenarios { get; } = scenarios;

    public virtual async DurableTask<int> Compute(int x)
    {
        await Scenarios.Pause();
        return x + 1;
    }
}

public sealed class Derived(Scenarios scenarios) : Base(scenarios)
{
    public override async DurableTask<int> Compute(int x)
    {
        int fromBase = await base.Compute(x);
        await Scenarios.Pause();
        return fromBase * 2;
    }
}

public sealed class Disposed(List<string> log, string name) : IDisposable
{
    public void Dispose() => log.Add(name);
}

public sealed class AsyncDisposed(Scenarios scenarios, List<string> log)
{
    public async DurableTask DisposeAsync()
    {
        log.Add("disposing");
        await scenarios.Pause();
        log.Add("disposed");
    }
}

public struct Runner(Scenarios scenarios, int count)
{
    public int Count = count;

    public async DurableTask<int> Run()
    {
        Count++;
        await scenarios.Pause();
        Count++;
        await scenarios.Pause();
        return Count;
    }
}

public readonly struct CountDown(int from) : IEnumerable<int>
{
    public Enumerator GetEnumerator() => new(from);

    IEnumerator<int> IEnumerable<int>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    public struct Enumerator(int from) : IEnumerator<int>
    {
        private int _left = from + 1;

        public readonly int Current => _left;

        readonly object IEnumerator.Current => _left;

        public bool MoveNext() => --_left > 0;

        public void Reset() => throw new NotSupportedException();

        public readonly void Dispose()
        {
        }
    }
}
