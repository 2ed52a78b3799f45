using System.Runtime.CompilerServices;
using Ambrosia.Telemetry;

namespace Ambrosia.CSharpBinding.Tests.Telemetry;

public sealed class BindingMeterTests
{
    [Fact] // Test hosts end an app in the middle of something, thousands of times in one process: it takes its leave from nobody.
    public void An_immortal_that_ended_without_a_word_is_forgotten()
    {
        WeakReference ended = Serve();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        Assert.False(ended.IsAlive, "The meter holds an immortal that has ended.");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Serve()
    {
        var acting = new Acting();
        BindingMeter.Add(acting);
        return new WeakReference(acting);
    }

    private sealed class Acting : IPendingWork
    {
        public string Instance => "ended";

        public int PendingCalls => 1;

        public int PendingTimers => 0;

        public int PendingEffects => 0;
    }
}
