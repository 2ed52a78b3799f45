using Ambrosia;
using Ambrosia.Samples;
using WordCount;

const int UsageError = 64;

if (args is ["splitter" or "counter", ..])
{
    SampleChild.EndWithParent();
    return args[0] == "splitter" ? await Immortal.RunAsync<Splitter>(args[1..]) : await Immortal.RunAsync<Counter>(args[1..]);
}

string path = Path.GetFullPath(args.FirstOrDefault() ?? "docs/guide");
if (args.Length > 1 || args is ["-h" or "--help"] || !Path.Exists(path))
{
    Console.Error.WriteLine(
        $"Usage: dotnet run --project samples/WordCount -- [file or folder]   (default: "
        + $"docs/guide)\n{(Path.Exists(path) ? "" : $"There is no {path}.")}");
    return UsageError;
}

return await SampleRun.RunAsync("words", run => new Demo(run, path).RunAsync());
