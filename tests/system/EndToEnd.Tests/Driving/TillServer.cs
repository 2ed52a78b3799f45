using System.Collections.Concurrent;
using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>The receiver of charges: notes every attempt, takes the money once for each id, and takes its time to answer.</summary>
internal sealed class TillServer : IAsyncDisposable
{
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly Task _serving;
    private readonly int _seed;
    private int _attempts;

    public TillServer(string path, int seed)
    {
        _seed = seed;
        _listener.Bind(new UnixDomainSocketEndPoint(path));
        _listener.Listen(512);
        _serving = AcceptAsync();
    }

    /// <summary>By id: whom it charges.</summary>
    public ConcurrentDictionary<string, int> Charges { get; } = new();

    /// <summary>By customer: what was taken, by a receiver that drops repeated ids.</summary>
    public ConcurrentDictionary<int, int> Taken { get; } = new();

    /// <summary>Attempts of any id.</summary>
    public int Attempts => _attempts;

    /// <summary>Ids that came for another customer than at first.</summary>
    public ConcurrentBag<string> Mixed { get; } = [];

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _serving;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                _ = ServeAsync(await _listener.AcceptAsync());
            }
        }
        catch (Exception error) when (error is SocketException or ObjectDisposedException)
        {
            // The test has ended.
        }
    }

    private async Task ServeAsync(Socket client)
    {
        try
        {
            using var stream = new NetworkStream(client, ownsSocket: true);
            using var reader = new StreamReader(stream, Encoding.UTF8);
            if (await reader.ReadLineAsync() is { } line)
            {
                string[] parts = line.Split(' ');
                int customer = int.Parse(parts[1], CultureInfo.InvariantCulture);
                int attempt = Interlocked.Increment(ref _attempts);
                await Task.Delay(new Random(_seed + attempt).Next(20));
                Take(parts[0], customer);
                await Task.Delay(new Random(_seed - attempt).Next(20)); // A kill between the two is the one that counts.
                await stream.WriteAsync(Encoding.UTF8.GetBytes($"paid {customer}\n"));
            }
        }
        catch (IOException)
        {
            // The app was killed.
        }
    }

    private void Take(string id, int customer)
    {
        if (Charges.TryAdd(id, customer))
        {
            Taken.AddOrUpdate(customer, 1, static (_, times) => times + 1);
        }
        else if (Charges[id] != customer)
        {
            Mixed.Add(id);
        }
    }
}
