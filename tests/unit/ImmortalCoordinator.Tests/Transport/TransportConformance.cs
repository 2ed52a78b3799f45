using System.Buffers;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

/// <summary>What every transport owes, whatever carries its bytes.</summary>
public abstract class TransportConformance
{
    protected abstract ITransport Server { get; }

    protected abstract ITransport Client { get; }

    protected abstract EndPointName Address { get; }

    [Fact]
    public async Task Bytes_arrive_in_order_in_both_directions()
    {
        await using IListener listener = await Server.ListenAsync(Address, Echo, default);
        await using IConnection connection = await Client.ConnectAsync(listener.EndPoint, default);
        foreach (string text in (string[])["first", "second", new string('x', 100_000)])
        {
            await connection.SendAsync(text);
            Assert.Equal(text, await connection.ReceiveAsync(text.Length));
        }
    }

    [Fact]
    public async Task An_orderly_end_reaches_the_other_side_after_everything_sent()
    {
        await using IListener listener = await Server.ListenAsync(Address, connection => connection.SendAsync("farewell"), default);
        await using IConnection connection = await Client.ConnectAsync(listener.EndPoint, default);
        Assert.Equal("farewell", await connection.ReceiveAsync("farewell".Length));
        Assert.True(await connection.IsAtEndAsync());
    }

    [Fact]
    public async Task An_abort_fails_the_pending_read_of_its_own_side_and_ends_that_of_the_other()
    {
        var accepted = new TaskCompletionSource<IConnection>(TaskCreationOptions.RunContinuationsAsynchronously);
        var handler = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using IListener listener = await Server.ListenAsync(Address, async connection =>
        {
            var read = connection.Input.ReadAsync().AsTask();
            accepted.SetResult(connection);
            try
            {
                handler.SetResult((await read).IsCompleted); // A Unix socket knows no reset: the other side sees an end.
            }
            catch (IOException)
            {
                handler.SetResult(true);
            }
        }, default);
        await using IConnection connection = await Client.ConnectAsync(listener.EndPoint, default);
        await accepted.Task.OrFail();
        Task own = connection.Input.ReadAsync().AsTask();
        connection.Abort();
        connection.Abort();
        await Assert.ThrowsAnyAsync<IOException>(() => own.OrFail());
        Assert.True(await handler.Task.OrFail());
        await Assert.ThrowsAnyAsync<IOException>(() => connection.SendAsync("too late"));
    }

    [Fact]
    public async Task A_writer_waits_while_its_reader_does_not_read()
    {
        var mayRead = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        const int total = 32 * 1024 * 1024;
        var received = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using IListener listener = await Server.ListenAsync(Address, async connection =>
        {
            await mayRead.Task;
            long count = 0;
            while (count < total)
            {
                var result = await connection.Input.ReadAsync();
                count += result.Buffer.Length;
                connection.Input.AdvanceTo(result.Buffer.End);
            }

            received.SetResult(count);
        }, default);
        await using IConnection connection = await Client.ConnectAsync(listener.EndPoint, default);
        Task sending = SendAsync(connection, total);
        Assert.False(sending.IsCompleted); // No buffer of any transport holds 32 MiB.
        mayRead.SetResult();
        await sending.OrFail();
        Assert.Equal(total, await received.Task.OrFail());
    }

    [Fact]
    public async Task Nobody_listening_is_an_IOException_that_names_the_address()
    {
        IListener listener = await Server.ListenAsync(Address, Echo, default);
        EndPointName address = listener.EndPoint;
        await listener.DisposeAsync();
        await listener.Completion.OrFail();
        var error = await Assert.ThrowsAsync<ConnectFailedException>(async () => await Client.ConnectAsync(address, default));
        Assert.Contains(address.ToString(), error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_second_listener_on_the_same_address_is_refused_with_a_code_and_leaves_the_first_working()
    {
        await using IListener listener = await Server.ListenAsync(Address, Echo, default);
        var error = await Assert.ThrowsAsync<CoordinatorException>(async () => await Server.ListenAsync(listener.EndPoint, Echo, default));
        Assert.Contains(error.Code, (string[])["IC-1010", "IC-1012"]);
        Assert.Equal(ExitCode.AddressUnavailable, error.ExitCode);
        await using IConnection connection = await Client.ConnectAsync(listener.EndPoint, default);
        await connection.SendAsync("still there");
        Assert.Equal("still there", await connection.ReceiveAsync(11));
    }

    [Fact]
    public async Task A_listener_goes_on_after_a_handler_lost_its_connection_and_reports_a_mistake_of_ours()
    {
        var errors = new Queue<Exception>(
            [new IOException("gone"), new OperationCanceledException(), new InvalidOperationException("our mistake")]);
        await using IListener listener = await Server.ListenAsync(Address, _ => throw errors.Dequeue(), default);
        for (int i = 0; i < 2; i++)
        {
            await using IConnection lost = await Client.ConnectAsync(listener.EndPoint, default);
            Assert.True(await lost.IsAtEndAsync());
        }

        Assert.False(listener.Completion.IsCompleted);
        try
        {
            await (await Client.ConnectAsync(listener.EndPoint, default)).DisposeAsync();
        }
        catch (ConnectFailedException)
        {
            // The reset was faster than the connecting.
        }

        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => listener.Completion.OrFail());
        Assert.Equal("our mistake", error.Message);
    }

    [Fact]
    public async Task Continuations_stay_on_the_single_thread_of_their_owner()
    {
        await SingleThread.Run(async () =>
        {
            int thread = Environment.CurrentManagedThreadId;
            var handler = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
            await using IListener listener = await Server.ListenAsync(Address, async connection =>
            {
                int before = Environment.CurrentManagedThreadId;
                await connection.ReceiveAsync(5);
                await connection.SendAsync("hello");
                handler.SetResult(before == Environment.CurrentManagedThreadId ? before : -1);
            }, default);
            await using IConnection connection = await Client.ConnectAsync(listener.EndPoint, default);
            Assert.Equal(thread, Environment.CurrentManagedThreadId);
            await connection.SendAsync("hello");
            await connection.ReceiveAsync(5);
            Assert.Equal(thread, Environment.CurrentManagedThreadId);
            Assert.Equal(thread, await handler.Task);
        }).OrFail();
    }

    private static async Task Echo(IConnection connection)
    {
        while (true)
        {
            var result = await connection.Input.ReadAsync();
            if (result.IsCompleted && result.Buffer.IsEmpty)
            {
                return;
            }

            foreach (var segment in result.Buffer)
            {
                connection.Output.Write(segment.Span);
            }

            connection.Input.AdvanceTo(result.Buffer.End);
            await connection.Output.FlushAsync();
        }
    }

    private static async Task SendAsync(IConnection connection, int total)
    {
        byte[] chunk = new byte[64 * 1024];
        for (int sent = 0; sent < total; sent += chunk.Length)
        {
            connection.Output.Write(chunk);
            await connection.Output.FlushAsync();
        }
    }
}
