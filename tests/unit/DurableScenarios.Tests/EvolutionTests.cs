namespace Ambrosia.DurableScenarios.Tests;

/// <summary>State written by one version of an application and read by the next.</summary>
public sealed class EvolutionTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("durable").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Fields_may_be_added_removed_renamed_and_reordered_but_not_retyped()
    {
        string evolving = Path.Combine(_folder, "evolving");
        string retyped = Path.Combine(_folder, "retyped");
        string renamed = Path.Combine(_folder, "renamed");
        ScenarioProcess.Run("Release", "Plain", "save-evolving", evolving, retyped, renamed);
        string[] lines = ScenarioProcess.Run("Release", "Evolved", "load-evolving", evolving, retyped, renamed);
        // Kept, initial value of an added field, renamed, value beside a removed struct, initial value in a nested class,
        // structs with a removed and an added field, an object that was first met inside a removed one, a shared text.
        Assert.Equal("5 initial renamed 3 7 1/0,2/0 1 True 100", lines[0]);
        Assert.Equal("REFUSED Retyped: its field 'Number' was saved as int and is now long", lines[1]);
        Assert.Equal("REFUSED OldName: the type Ambrosia.DurableScenarios.OldName is not in this build", lines[2]);
    }
}
