using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

public sealed class StateSelfCheckTests
{
    [Fact]
    public void The_runtime_that_runs_these_tests_can_save_suspended_methods() => StateSelfCheck.Run();
}
