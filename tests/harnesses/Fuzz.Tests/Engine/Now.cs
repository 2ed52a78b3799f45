namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>Results of operations on bytes in memory, which never have to be waited for.</summary>
internal static class Now
{
    public static void Of(ValueTask operation)
    {
        if (!operation.IsCompleted)
        {
            throw new InvalidOperationException("It waits for something.");
        }

        operation.GetAwaiter().GetResult();
    }

    public static T Of<T>(ValueTask<T> operation) =>
        operation.IsCompleted ? operation.GetAwaiter().GetResult() : throw new InvalidOperationException("It waits for something.");
}
