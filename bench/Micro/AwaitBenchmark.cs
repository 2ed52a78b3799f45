using Ambrosia.Runtime;
using BenchmarkDotNet.Attributes;

namespace Ambrosia.Bench.Micro;

/// <summary>An async method that suspends at one await and is resumed: as a durable task, and as .NET's own.</summary>
public class AwaitBenchmark
{
    private const int Count = 1000;
    private readonly Turn _turn = new();

    [Benchmark(OperationsPerInvoke = Count)]
    public long DurableTaskSuspended()
    {
        using TurnScope scope = _turn.Enter();
        long sum = 0;
        for (int i = 0; i < Count; i++)
        {
            var reply = new DurableCompletion<long>();
            DurableTask<long> call = AddAsync(reply.Task);
            reply.SetResult(i);
            _turn.Drain();
            sum += call.GetAwaiter().GetResult();
        }

        return sum;
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Count)]
    public long TaskSuspended()
    {
        long sum = 0;
        for (int i = 0; i < Count; i++)
        {
            var reply = new TaskCompletionSource<long>();
            Task<long> call = AddTaskAsync(reply.Task);
            reply.SetResult(i);
            sum += call.GetAwaiter().GetResult();
        }

        return sum;
    }

    private static async DurableTask<long> AddAsync(DurableTask<long> reply) => 1 + await reply;

    private static async Task<long> AddTaskAsync(Task<long> reply) => 1 + await reply;
}
