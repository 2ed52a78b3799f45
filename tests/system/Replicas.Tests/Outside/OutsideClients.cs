using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Text;
using Ambrosia.Client;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Protocol.Ingress;
using EndToEnd;
using Grpc.Core;
using Grpc.Net.Client;

namespace Ambrosia.Replicas.Tests.Outside;

/// <summary>
/// Clients from outside: each makes one call after the other, with a key, at one of several addresses, and repeats it until it is answered.
/// Each try goes over HTTP or over gRPC, by lot: a call that one way has made is known to the other. Every third client uses
/// <c>Ambrosia.Client</c>, which finds the address and repeats by itself, on streams that many share. Now and then one dies in the middle
/// of a call, or a process with many of them, comes back, and goes on with its key. Now and then one asks again for an answer that it has.
/// </summary>
internal sealed class OutsideClients : IDisposable
{
    private const double Dies = 0.05;
    private const double AsksAgain = 0.2;
    private const double ProcessDies = 0.002;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(120);
    private static readonly Method<IngressCallRequest, byte[]> s_call = new(
        MethodType.Unary, IngressService.Name, IngressService.Call,
        Marshallers.Create(
            static (request, context) =>
            {
                request.Write(context.GetBufferWriter());
                context.Complete();
            },
            static IngressCallRequest (_) => throw new NotSupportedException()),
        Marshallers.Create(static bytes => bytes, static bytes => bytes));

    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<string, string> _answers = [];
    private readonly ConcurrentQueue<string> _violations = [];
    private readonly HttpClient _http = new() { Timeout = TimeSpan.FromSeconds(15) };
    private readonly GrpcChannel[] _channels;
    private readonly AmbrosiaClient[] _libraries = new AmbrosiaClient[4];
    private readonly long _born = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
    private readonly string _instance;
    private readonly int[] _ports;
    private readonly TimeSpan _pause;
    private readonly Task[] _running;
    private int _deaths;
    private int _repeats;
    private int _overGrpc;
    private int _byLibrary;
    private int _place;

    /// <summary>Starts them.</summary>
    /// <param name="instance">Whom they call.</param>
    /// <param name="ports">The addresses, on loopback.</param>
    /// <param name="count">How many there are.</param>
    /// <param name="callsPerSecond">About how many calls all of them begin in a second.</param>
    /// <param name="seed">Of what they do now and then.</param>
    public OutsideClients(string instance, int[] ports, int count, int callsPerSecond, int seed)
    {
        (_instance, _ports) = (instance, ports);
        _channels = [.. ports.Select(static port => GrpcChannel.ForAddress($"http://127.0.0.1:{port}", new GrpcChannelOptions
        {
            HttpHandler = new SocketsHttpHandler { EnableMultipleHttp2Connections = true }, DisposeHttpClient = true,
        }))];
        for (int process = 0; process < _libraries.Length; process++)
        {
            _libraries[process] = OpenLibrary();
        }

        _pause = TimeSpan.FromSeconds(2.0 * count / callsPerSecond);
        _running = [.. Enumerable.Range(0, count).Select(client => RunAsync(client, new Random(seed + client)))];
    }

    /// <summary>Calls that were answered.</summary>
    public int Answered => _answers.Count;

    /// <summary>Clients that died in the middle of a call, and calls that were made again although their answer was there.</summary>
    public (int Deaths, int Repeats) Counted => (_deaths, _repeats);

    /// <summary>Answers that came over gRPC.</summary>
    public int OverGrpc => _overGrpc;

    /// <summary>Answers that <c>Ambrosia.Client</c> got.</summary>
    public int ByLibrary => _byLibrary;

    /// <summary>Answers that should not have been.</summary>
    public IReadOnlyCollection<string> Violations => _violations;

    /// <summary>No new calls; returns when those that were begun are answered.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_running).WaitAsync(s_patience);
    }

    /// <summary>Asks again for each answer that there ever was, at all addresses, and compares.</summary>
    public Task AskForAllAsync() => Parallel.ForEachAsync(_answers, new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (call, _) =>
    {
        var random = new Random(call.Key.GetHashCode(StringComparison.Ordinal));
        Compare(call.Key, await CallAsync(call.Key, random));
    });

    public void Dispose()
    {
        _stop.Dispose();
        Array.ForEach(_channels, static channel => channel.Dispose());
        Array.ForEach(_libraries, static library => library.Dispose());
        _http.Dispose();
    }

    private async Task RunAsync(int client, Random random)
    {
        for (int number = 0; !_stop.IsCancellationRequested; number++)
        {
            string id = string.Create(CultureInfo.InvariantCulture, $"c{client}-{number}");
            Compare(id, await CallAsync(id, random));
            if (random.NextDouble() < AsksAgain)
            {
                Interlocked.Increment(ref _repeats);
                Compare(id, await CallAsync(id, random));
            }

            await Task.Delay(_pause * random.NextDouble(), _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private void Compare(string id, string answer)
    {
        if (_answers.GetOrAdd(id, answer) is var first && first != answer)
        {
            _violations.Enqueue($"{id} was answered {first} first, and {answer} later");
        }
    }

    private async Task<string> CallAsync(string id, Random random)
    {
        string? answer = null;
        await Wait.UntilAsync($"{id} is answered", async () =>
        {
            bool dies = random.NextDouble() < Dies;
            using var life = dies ? new CancellationTokenSource(random.Next(60)) : new CancellationTokenSource();
            int place = Volatile.Read(ref _place);
            answer = await (UsesLibrary(id) ? TryLibraryAsync(id, random, life.Token)
                : random.Next(2) == 0 ? TryAsync(id, _ports[place], life.Token) : TryGrpcAsync(id, _channels[place], life.Token));
            if (dies && life.IsCancellationRequested)
            {
                Interlocked.Increment(ref _deaths);
            }
            else if (answer is null)
            {
                // Another address is tried, by all: who is no primary says so.
                Interlocked.CompareExchange(ref _place, (place + 1) % _ports.Length, place);
                await Task.Delay(random.Next(100), CancellationToken.None);
            }

            return answer is not null;
        }, s_patience);
        return answer!;
    }

    // Null if it is to be tried again, with the same key.
    private async Task<string?> TryAsync(string id, int port, CancellationToken life)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri($"http://127.0.0.1:{port}/v1/immortals/{_instance}/Submit"));
        request.Content = new StringContent(ArgumentsOf(id), Encoding.UTF8, "application/json");
        request.Headers.TryAddWithoutValidation("Idempotency-Key", $"\"{id}\";t={_born}");
        try
        {
            using HttpResponseMessage answer = await _http.SendAsync(request, life);
            string text = (await answer.Content.ReadAsStringAsync(life)).Trim();
            switch (answer.StatusCode)
            {
                case HttpStatusCode.OK:
                    return text;
                case HttpStatusCode.Accepted or HttpStatusCode.ServiceUnavailable or HttpStatusCode.GatewayTimeout
                    or HttpStatusCode.TooManyRequests:
                    return null;
                default:
                    _violations.Enqueue($"{id} was answered {(int)answer.StatusCode}: {text}");
                    return text;
            }
        }
        catch (Exception error) when (error is HttpRequestException or OperationCanceledException or IOException)
        {
            return null; // A process was killed, or this client.
        }
    }

    private async Task<string?> TryGrpcAsync(string id, GrpcChannel channel, CancellationToken life)
    {
        var call = new IngressCallRequest(
            _instance, "Submit", null, new IngressKey(id, (ulong)_born * 1000, 0, 0), IngressForm.Json,
            Encoding.UTF8.GetBytes(ArgumentsOf(id)));
        var options = new CallOptions(deadline: DateTime.UtcNow.AddSeconds(15), cancellationToken: life);
        try
        {
            IngressReply reply = IngressReply.Read(await channel.CreateCallInvoker().AsyncUnaryCall(s_call, null, options, call));
            if (reply.Kind == IngressReplyKind.Accepted)
            {
                return null;
            }

            Interlocked.Increment(ref _overGrpc);
            return reply.Kind == IngressReplyKind.Json ? Encoding.UTF8.GetString(reply.Bytes.Span)
                : $"{reply.Kind}: {reply.ExceptionMessage}";
        }
        catch (RpcException error) when (error.StatusCode is StatusCode.Unavailable or StatusCode.DeadlineExceeded or StatusCode.Cancelled
            or StatusCode.ResourceExhausted || error.Trailers.GetValue(IngressService.CodeTrailer) is null)
        {
            return null; // A process was killed, or this client.
        }
        catch (RpcException error)
        {
            _violations.Enqueue($"{id} was answered {error.StatusCode}: {error.Status.Detail}");
            return error.Status.Detail;
        }
    }

    // What it sends is MessagePack, so its calls are no repeats of others.
    private static bool UsesLibrary(string id) => int.Parse(id.AsSpan(1, id.IndexOf('-') - 1), CultureInfo.InvariantCulture) % 3 == 2;

    private async Task<string?> TryLibraryAsync(string id, Random random, CancellationToken life)
    {
        int process = random.Next(_libraries.Length);
        AmbrosiaClient library = Volatile.Read(ref _libraries[process]);
        if (random.NextDouble() < ProcessDies)
        {
            AmbrosiaClient next = OpenLibrary();
            if (Interlocked.CompareExchange(ref _libraries[process], next, library) != library)
            {
                next.Dispose();
            }

            library.Dispose();
            return null;
        }

        try
        {
            NodeClient node = library.Get<NodeClient>(_instance).WithKey(new CallKey(id, DateTimeOffset.FromUnixTimeSeconds(_born)));
            long answer = await node.SubmitAsync(id, id.Length % 2 == 0 ? WorkKind.Note : WorkKind.Self, "", id.Length, life);
            Interlocked.Increment(ref _byLibrary);
            return answer.ToString(CultureInfo.InvariantCulture);
        }
        catch (Exception error) when (error is OperationCanceledException or ObjectDisposedException)
        {
            return null; // This client was killed.
        }
        catch (Exception error) when (error is CallRefusedException or CallNotAnsweredException)
        {
            _violations.Enqueue($"{id} was answered: {error.Message}");
            return error.Message;
        }
    }

    private AmbrosiaClient OpenLibrary()
    {
        var options = new AmbrosiaClientOptions { Deadline = s_patience };
        foreach (int port in _ports)
        {
            options.Addresses.Add($"http://127.0.0.1:{port}");
        }

        return new AmbrosiaClient(options);
    }

    private static string ArgumentsOf(string id) =>
        $$"""{"id":"{{id}}","kind":"{{(id.Length % 2 == 0 ? "Note" : "Self")}}","peer":"","size":{{id.Length}}}""";
}
