using Ambrosia;
using Ambrosia.Coordinator.Transport;
using WebPage;

// make HOME COUNT: logs of a mill that ground so many sacks, and of its bakery. live HOME PORT [PORT]: both at work, with an admin address
// and one for calls from outside, until standard input ends. app: the mill for a replay.
switch (args)
{
    case ["make", var home, var count]:
        await new Works(home, null).RunAsync(async mill =>
        {
            foreach (string label in Works.Hostile)
            {
                await mill.GrindImpulse(0, 1, label);
            }

            const int Batch = 10_000;
            for (long sack = 1; sack <= long.Parse(count); sack += Batch)
            {
                await mill.GrindImpulse(sack, Batch, $"batch {sack / Batch}");
            }

            while (await mill.GroundImpulse() < long.Parse(count) + Works.Hostile.Length)
            {
                // Each question waits for its answer, behind the sacks that are still on their way.
            }
        });
        return 0;
    case ["live", var home, var port, .. var ingress]:
        // Its own asynchronous methods block, and the thread pool is small.
        Task<string> ended = Task.Factory.StartNew(Console.In.ReadToEnd, TaskCreationOptions.LongRunning);
        await new Works(home, EndPointName.Tcp("127.0.0.1", int.Parse(port)), ingress is [var door] ? $"127.0.0.1:{door}" : "")
        .RunAsync(async mill =>
        {
            _ = mill.GrindImpulse(0, 0, Mill.Sourdough); // Its loaf does not come while anybody looks.
            Console.WriteLine("working");
            for (long sack = 1; !ended.IsCompleted; sack += 50)
            {
                await mill.GrindImpulse(sack, 50, $"live {sack}");
            }
        });
        return 0;
    case ["app", .. var rest]:
        return await Immortal.RunAsync<Mill>(rest);
    default:
        Console.Error.WriteLine("WebPage make HOME COUNT, live HOME PORT [PORT], or app");
        return 64;
}
