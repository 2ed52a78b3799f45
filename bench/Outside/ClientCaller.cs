using Ambrosia.Bench.Immortals;
using Ambrosia.Client;

namespace Ambrosia.Bench.Outside;

/// <summary>The client of Ambrosia: so many calls of an immortal's Echo under way, whose keys it makes.</summary>
internal static class ClientCaller
{
    /// <summary>Takes commands until the process ends.</summary>
    public static async Task ServeAsync(string url)
    {
        using AmbrosiaClient client = AmbrosiaClient.For(url);
        WorkerClient worker = client.Get<WorkerClient>("sink");
        await CallerDesk.ServeAsync(size =>
        {
            byte[] payload = new byte[size];
            return _ => worker.EchoAsync(payload);
        });
    }
}
