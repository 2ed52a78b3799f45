using System.Buffers;
using System.Diagnostics;
using Ambrosia.Runtime;

namespace Ambrosia.DurableScenarios;

/// <summary>What awaiting, saving and loading cost; prints one line per figure, best of five.</summary>
public sealed class Measurements(Turn turn, int handlers)
{
    private const int Calls = 1_000_000;
    private readonly PendingCalls _calls = new();
    private int _sum;

    public void Run()
    {
        Loop("call+await", static self => self.CallLoop());
        Loop("call+await-nested", static self => self.NestedLoop());
        Loop("await-completed", static self => self.CompletedLoop());
        Handlers();
        Suspended(handlers, emit: true);
        Suspended(handlers, emit: false);
    }

    private DurableTask<int> Call()
    {
        Reply call = new();
        _calls.Add(call);
        return call.Task;
    }

    private async DurableTask CallLoop()
    {
        for (int i = 0; i < Calls; i++)
        {
            _sum += await Call();
        }
    }

    private async DurableTask NestedLoop()
    {
        for (int i = 0; i < Calls; i++)
        {
            _sum += await Through();
        }
    }

    private async DurableTask<int> Through() => await Call() + 1;

    private async DurableTask CompletedLoop()
    {
        for (int i = 0; i < Calls; i++)
        {
            _sum += await Completed(i);
        }
    }

    private static async DurableTask<int> Completed(int i)
    {
        await DurableTask.CompletedTask;
        return i;
    }

    private void Loop(string name, Func<Measurements, DurableTask> start)
    {
        double best = double.MaxValue;
        double bytes = 0;
        using TurnScope scope = turn.Enter();
        for (int run = 0; run < 5; run++)
        {
            long allocated = GC.GetAllocatedBytesForCurrentThread();
            long began = Stopwatch.GetTimestamp();
            DurableTask task = start(this);
            for (long number = _calls.NextNumber - _calls.Count; !task.IsCompleted; number++)
            {
                Answer(number);
            }
            best = Math.Min(best, Stopwatch.GetElapsedTime(began).TotalNanoseconds / Calls);
            bytes = (GC.GetAllocatedBytesForCurrentThread() - allocated) / (double)Calls;
        }
        Console.WriteLine($"{name} {best:F0} ns {bytes:F0} B");
    }

    private void Handlers()
    {
        double best = double.MaxValue;
        double bytes = 0;
        using TurnScope scope = turn.Enter();
        for (int run = 0; run < 5; run++)
        {
            long allocated = GC.GetAllocatedBytesForCurrentThread();
            long began = Stopwatch.GetTimestamp();
            for (int i = 0; i < Calls; i++)
            {
                new Sink(this).Await(Through());
                Answer(_calls.NextNumber - 1);
            }
            best = Math.Min(best, Stopwatch.GetElapsedTime(began).TotalNanoseconds / Calls);
            bytes = (GC.GetAllocatedBytesForCurrentThread() - allocated) / (double)Calls;
        }
        Console.WriteLine($"handler {best:F0} ns {bytes:F0} B");
    }

    private void Answer(long number)
    {
        _calls.TryRemove(number, out IPendingCall? call);
        call!.Complete([]);
        turn.Drain();
    }

    private void Suspended(int count, bool emit)
    {
        Bank bank = new();
        using TurnScope scope = turn.Enter();
        for (int i = 0; i < count; i++)
        {
            DurableTask<decimal> task = bank.Deposit($"account {i % 1000}", i);
            new BankReply(bank, i).Await(task);
        }
        GraphOptions options = new() { Assemblies = [typeof(Bank).Assembly], Emit = emit };
        (double save, double load) = (double.MaxValue, double.MaxValue);
        ArrayBufferWriter<byte> writer = new();
        Bank copy = bank;
        for (int run = 0; run < 5; run++)
        {
            writer = new ArrayBufferWriter<byte>(16 << 20);
            long began = Stopwatch.GetTimestamp();
            GraphWriter.Write(writer, [bank], options);
            save = Math.Min(save, Stopwatch.GetElapsedTime(began).TotalMilliseconds);
            began = Stopwatch.GetTimestamp();
            copy = (Bank)GraphReader.Read(new ReadOnlySequence<byte>(writer.WrittenMemory), [], options)[0]!;
            load = Math.Min(load, Stopwatch.GetElapsedTime(began).TotalMilliseconds);
        }
        foreach (IPendingCall call in copy.Calls.ToArray())
        {
            copy.Calls.TryRemove(call.Number, out _);
            call.Complete([]);
            turn.Drain();
        }
        string plan = emit ? "emit" : "reflect";
        Console.WriteLine($"suspended-{plan} {count} handlers {writer.WrittenCount} bytes save {save:F0} ms load {load:F0} ms");
        Console.WriteLine($"resumed-{plan} {copy.Replies} money {copy.Accounts.Values.Sum(account => account.Balance)}");
    }

    private sealed class Reply : PendingCall<int>
    {
        public override void Complete(ReadOnlySpan<byte> value) => TryComplete(1);
    }

    private sealed class Sink(Measurements owner) : ReplyContinuation
    {
        public override void Invoke(DurableCell completed) => owner._sum += ((DurableCell<int>)completed).GetResult();
    }

    private sealed class Bank
    {
        public DurableDictionary<string, Account> Accounts = [];
        public PendingCalls Calls = new();
        public int Replies;

        public async DurableTask<decimal> Deposit(string account, decimal amount)
        {
            if (!Accounts.TryGetValue(account, out Account? found))
            {
                found = Accounts[account] = new Account { Owner = account };
            }
            TestReply call = new();
            Calls.Add(call);
            decimal bonus = await call.Task;
            found.Balance += amount + bonus;
            return found.Balance;
        }
    }

    private sealed class TestReply : PendingCall<decimal>
    {
        public override void Complete(ReadOnlySpan<byte> value) => TryComplete(0);
    }

    private sealed class BankReply(Bank bank, int number) : ReplyContinuation
    {
        public int Number { get; } = number;

        public override void Invoke(DurableCell completed) => bank.Replies += completed.IsFaulted ? 0 : 1;
    }
}
