using System.Collections.Concurrent;
using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>The outside world of one node: sends requests to its gate and pairs the answers.</summary>
internal sealed class GateClient : IDisposable
{
    private readonly Socket _socket;
    private readonly NetworkStream _stream;
    private readonly ConcurrentDictionary<long, TaskCompletionSource<string>> _pending = new();
    private readonly SemaphoreSlim _turn = new(1);
    private long _next;
    private volatile bool _closed;

    private GateClient(Socket socket)
    {
        _socket = socket;
        _stream = new NetworkStream(socket, ownsSocket: true);
        _ = ReadAsync();
    }

    public bool Closed => _closed;

    /// <summary>Null when nobody listens there now.</summary>
    public static async Task<GateClient?> TryConnectAsync(string path)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path));
            return new GateClient(socket);
        }
        catch (SocketException)
        {
            socket.Dispose();
            return null;
        }
    }

    /// <summary>Sends one request and returns what stands behind "ok".</summary>
    /// <exception cref="GateClosedException">The outcome is unknown.</exception>
    public async Task<string> AskAsync(string request)
    {
        long number = Interlocked.Increment(ref _next);
        var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        _pending[number] = answer;
        await SendAsync(string.Create(CultureInfo.InvariantCulture, $"{number} {request}\n"));
        if (_closed)
        {
            Close("the app has gone");
        }

        string text = await answer.Task;
        return text.StartsWith("ok ", StringComparison.Ordinal) ? text[3..] : throw new GateClosedException(text);
    }

    public void Dispose()
    {
        Close("the test has ended");
        _stream.Dispose();
        _turn.Dispose();
    }

    private async Task SendAsync(string line)
    {
        await _turn.WaitAsync();
        try
        {
            await _stream.WriteAsync(Encoding.UTF8.GetBytes(line));
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException)
        {
            Close(error.Message);
        }
        finally
        {
            _turn.Release();
        }
    }

    private async Task ReadAsync()
    {
        string reason = "the app has gone";
        try
        {
            using var reader = new StreamReader(_stream, Encoding.UTF8, false, 1 << 16, leaveOpen: true);
            while (await reader.ReadLineAsync() is { } line)
            {
                int space = line.IndexOf(' ', StringComparison.Ordinal);
                long number = long.Parse(line.AsSpan(0, space), CultureInfo.InvariantCulture);
                if (_pending.TryRemove(number, out TaskCompletionSource<string>? answer))
                {
                    answer.TrySetResult(line[(space + 1)..]);
                }
            }
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException)
        {
            reason = error.Message;
        }

        Close(reason);
    }

    private void Close(string reason)
    {
        _closed = true;
        foreach (long number in _pending.Keys)
        {
            if (_pending.TryRemove(number, out TaskCompletionSource<string>? answer))
            {
                answer.TrySetException(new GateClosedException(reason));
            }
        }

        _socket.Dispose();
    }
}
