namespace Ambrosia.DurableScenarios.Tests;

/// <summary>What was suspended in one process goes on in another: every scenario, saved at every await.</summary>
public sealed class SecondProcessTests : IDisposable
{
    private const int FewestScenarios = 39;
    private const int FewestFiles = 300;
    private readonly string _folder = Directory.CreateTempSubdirectory("durable").FullName;

    /// <summary>Builds, and how their calls are saved.</summary>
    public static TheoryData<string, string> Plans
    {
        get
        {
            var plans = new TheoryData<string, string> { { "Debug", "emit" }, { "Release", "reflect" } };
            if (Extent.IsFull || Extent.IsSoak)
            {
                plans.Add("Debug", "reflect");
                plans.Add("Release", "emit");
            }

            return plans;
        }
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Plans))]
    public void Every_suspended_scenario_resumes_in_another_process_as_if_nothing_had_happened(string configuration, string plan)
    {
        int files = Record(configuration, "Plain");
        string[] lines = ScenarioProcess.Run(configuration, "Plain", "resume", _folder, plan);
        Assert.Empty(Problems(lines));
        Assert.Equal(files, ScenarioProcess.Number(lines, "good"));
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public void Saving_and_loading_after_every_reply_changes_nothing(string configuration, string plan)
    {
        string[] lines = ScenarioProcess.Run(configuration, "Plain", "chain", plan);
        Assert.Empty(Problems(lines));
        Assert.True(ScenarioProcess.Number(lines, "good") >= FewestScenarios);
    }

    [Theory]
    [InlineData("Debug")]
    [InlineData("Release")]
    public void Methods_and_lambdas_added_anywhere_in_the_class_refuse_nothing(string configuration)
    {
        int files = Record(configuration, "Plain");
        string[] lines = ScenarioProcess.Run(configuration, "Added", "resume", _folder, "emit");
        Assert.Empty(Problems(lines));
        Assert.Equal(files, ScenarioProcess.Number(lines, "good"));
    }

    [Fact]
    public void A_changed_body_refuses_exactly_the_calls_suspended_in_it_and_says_so()
    {
        int files = Record("Release", "Plain");
        string[] lines = ScenarioProcess.Run("Release", "Changed", "resume", _folder, "emit");
        string[] refused = Array.FindAll(lines, line => line.StartsWith("REFUSED", StringComparison.Ordinal));
        Assert.Equal(2, refused.Length);
        Assert.All(refused, line => Assert.Matches(@"^REFUSED Changing\.0[01]\.state Scenarios\.Changing: a call suspended in it was saved with fingerprint [0-9A-F]{8}, the present one is [0-9A-F]{8}$", line));
        Assert.Equal(files - 2, ScenarioProcess.Number(lines, "good"));
        Assert.DoesNotContain(lines, line => line.StartsWith("FAIL", StringComparison.Ordinal));
    }

    [Fact]
    public void Calls_suspended_in_a_changed_body_go_on_in_the_old_one_that_is_kept_beside_it()
    {
        int files = Record("Release", "Plain");
        string[] lines = ScenarioProcess.Run("Release", "Carry", "resume", _folder, "emit");
        Assert.Empty(Problems(lines));
        Assert.Equal(files, ScenarioProcess.Number(lines, "good"));
    }

    [Fact]
    public void Debug_and_Release_builds_refuse_each_others_suspended_calls()
    {
        int files = Record("Release", "Plain");
        string[] lines = ScenarioProcess.Run("Debug", "Plain", "resume", _folder, "emit");
        Assert.Equal(files, lines.Count(line => line.StartsWith("REFUSED", StringComparison.Ordinal)));
        Assert.Equal(0, ScenarioProcess.Number(lines, "good"));
    }

    private int Record(string configuration, string variant)
    {
        string[] lines = ScenarioProcess.Run(configuration, variant, "record", _folder);
        Assert.Empty(Problems(lines));
        int files = ScenarioProcess.Number(lines, "files");
        Assert.True(ScenarioProcess.Number(lines, "scenarios") >= FewestScenarios && files >= FewestFiles, "Scenarios were lost.");
        return files;
    }

    private static string[] Problems(string[] lines) =>
        Array.FindAll(lines, line =>
            line.StartsWith("FAIL", StringComparison.Ordinal) || line.StartsWith("REFUSED", StringComparison.Ordinal));
}
