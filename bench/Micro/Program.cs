using System.Text.Json;
using System.Text.RegularExpressions;
using Ambrosia.Bench.Micro;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

// Usage, as of all scenarios: Ambrosia.Bench.Micro micro FOLDER --full|--quick [REGEX]. One JSON line per figure; BenchmarkDotNet's own
// account goes to standard error.
bool quick = args[2] == "--quick";
Regex? only = args.Length > 3 ? new Regex(args[3]) : null;
Job job = (quick ? Job.ShortRun.WithWarmupCount(2).WithIterationCount(3) : Job.ShortRun.WithWarmupCount(5).WithIterationCount(10))
    .WithToolchain(InProcessEmitToolchain.Instance);
ManualConfig config = ManualConfig.CreateEmpty()
    .AddJob(job)
    .AddColumnProvider(DefaultColumnProviders.Instance)
    .AddDiagnoser(MemoryDiagnoser.Default)
    .AddLogger(quick ? NullLogger.Instance : new StreamLogger(new StreamWriter(Console.OpenStandardError()) { AutoFlush = true }))
    .WithOptions(ConfigOptions.DisableLogFile)
    .WithArtifactsPath(args[1]);
int missing = 0;
foreach (Summary summary in BenchmarkRunner.Run(typeof(AwaitBenchmark).Assembly, config))
{
    missing += summary.Reports.Count(static report => report.ResultStatistics is null) + (summary.HasCriticalValidationErrors ? 1 : 0);
    BenchmarkReport? baseline =
        summary.Reports.FirstOrDefault(report => report.BenchmarkCase.Descriptor.Baseline && report.ResultStatistics is not null);
    foreach (BenchmarkReport report in summary.Reports.Where(report => report.ResultStatistics is not null && report != baseline))
    {
        Figure figure = Figure.Of(report, baseline);
        if (only is null || only.IsMatch(figure.Name))
        {
            Console.WriteLine(JsonSerializer.Serialize(figure));
        }
    }
}

return missing == 0 ? 0 : 1;
