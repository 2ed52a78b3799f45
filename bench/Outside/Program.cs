using Ambrosia.Bench.Outside;
using Ambrosia.Samples;

// One program in all its roles; a scenario of bench/Apps starts it.
const int UsageError = 64;
SampleChild.EndWithParent();
switch (args)
{
    case ["http-echo", string url, string path]:
        await HttpEcho.ServeAsync(url, path);
        return 0;
    case ["http-caller", string url, string path]:
        await HttpCaller.ServeAsync(url, path);
        return 0;
    case ["grpc-echo", string url]:
        await GrpcEcho.ServeAsync(url);
        return 0;
    case ["grpc-caller", string url]:
        await GrpcCaller.ServeAsync(url);
        return 0;
    case ["client-caller", string url]:
        await ClientCaller.ServeAsync(url);
        return 0;
    default:
        Console.Error.WriteLine(
            "Usage: Ambrosia.Bench.Outside http-echo|http-caller URL PATH, grpc-echo|grpc-caller|client-caller URL. bench/run starts it.");
        return UsageError;
}
